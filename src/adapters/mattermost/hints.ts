import type { Hint } from "../../contract/host.ts";
import type { Member } from "../../contract/session.ts";
import { textIn } from "../kit/json.ts";
import type { MattermostApi } from "./api.ts";
import { channelRef } from "./ids.ts";
import { authorOf, type MattermostPeople } from "./people.ts";
import type { MattermostSettings } from "./settings.ts";
import type { MattermostEvent } from "./stream.ts";

/** People of one page, and pages of a list. */
const PAGE = 200;
const PAGES_MAX = 10;

interface MembersOptions {
  readonly api: Pick<MattermostApi, "usersIn">;
  readonly settings: Pick<MattermostSettings, "UseUserName">;
  /** Our own id. */
  readonly me: string;
}

/** The others in a channel, the first 2000; null when the server does not say it. Never rejects. */
export async function membersOf(
  channel: string,
  { api, settings, me }: MembersOptions,
  signal: AbortSignal,
): Promise<readonly Member[] | null> {
  const members = new Map<string, Member>();
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const users = await api.usersIn(channel, { page, count: PAGE }, signal);
    if (!users.ok) return null;
    for (const user of users.value) {
      const { id, name } = authorOf(user.id, user, "", settings);
      if (user.id !== me) members.set(id, { id, name, bot: user.isBot, present: null });
    }
    if (users.value.length < PAGE) break;
  }
  return [...members.values()];
}

/** How long clients show that somebody types, in ms. */
export const TYPING_MS = 5_000;

/** Somebody types, which the server says again and again; of the end it says nothing. Nobody is looked up for it. */
export function typingHint(
  { event, data, channel }: MattermostEvent,
  people: Pick<MattermostPeople, "known" | "author">,
  me: string,
): Hint | null {
  const user = textIn(data, "user_id") ?? "";
  if (event !== "typing" || user === me || people.known(user) === null) return null;
  return { kind: "typing", channel: channelRef(channel), author: people.author(user), on: true, forMs: TYPING_MS };
}
