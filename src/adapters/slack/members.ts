import type { Member } from "../../contract/session.ts";
import type { SlackApi } from "./api.ts";
import type { SlackPeople } from "./people.ts";

/** Pages of a list, of 200 people each. */
const PAGES_MAX = 5;
/** Most people looked up for one question, and for how long: messages need the look-ups more. */
const LEARN = { max: 30, ms: 5_000 };

interface MembersOptions {
  readonly api: Pick<SlackApi, "members">;
  readonly people: Pick<SlackPeople, "author" | "known" | "learn">;
  /** Our own id. */
  readonly me: string;
}

/**
 * The others in a channel, the first 1000; null when Slack does not say it. Those who were not met yet and not looked
 * up have their ids as names. Never rejects.
 */
export async function membersOf(
  channel: string,
  { api, people, me }: MembersOptions,
  signal: AbortSignal,
): Promise<readonly Member[] | null> {
  const ids = new Set<string>();
  let cursor = "";
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await api.members(channel, cursor, signal);
    if (!found.ok) return null;
    for (const id of found.value.users) ids.add(id);
    cursor = found.value.next;
    if (cursor === "") break;
  }
  ids.delete(me);
  const unknown = [...ids].filter((id) => people.known(id) === null);
  await people.learn(unknown.slice(0, LEARN.max), LEARN.ms);
  return [...ids].map((user) => {
    const { id, name, bot = false } = people.author(user);
    return { id, name, bot, present: null };
  });
}
