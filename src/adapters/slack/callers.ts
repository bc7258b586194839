import type { ChannelRef } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import { Lru } from "../../lib/lru.ts";
import { inTime } from "../kit/in-time.ts";
import type { SlackLink } from "./link.ts";
import type { SlackUser } from "./model.ts";
import { namesIn } from "./text.ts";

/** So long a post waits for who of those it names is a member. */
const NAMES_MS = 10_000;
/** So long the people of the workspace, and those of a channel, are taken to be the same. */
const PEOPLE_MS = 600_000;
const MEMBERS_MS = 300_000;
/** Pages of a list that are asked for at most. */
const PAGES_MAX = 20;
/** People of other workspaces in one channel, each of whom is asked for. */
const STRANGERS_MAX = 50;
const CHANNELS_MAX = 200;

type Names = ReadonlyMap<string, string>;
type People = ReadonlyMap<string, SlackUser>;

interface Kept<T> {
  readonly value: Promise<T>;
  readonly untilMs: number;
}

interface KeptNames extends Kept<Names> {
  /** Somebody has waited for them in vain: nobody does that again. */
  isLate: boolean;
}

/** Whom a text may call: the members of its channel by their names. They are looked up when a text calls somebody. */
export class SlackCallers {
  readonly #link: Pick<SlackLink, "api" | "host" | "people">;
  readonly #members = new Lru<ChannelRef, KeptNames>(CHANNELS_MAX);
  #people: Kept<People> | null = null;

  constructor(link: Pick<SlackLink, "api" | "host" | "people">) {
    this.#link = link;
  }

  /** Ids of the members whom the text may mean, by their names in lower case. */
  async among(draft: PostDraft, channel: ChannelRef, signal: AbortSignal): Promise<Names> {
    const names = namesIn(draft.body.blocks, draft.mayPing);
    if (names.length === 0) return NOBODY;
    const { clock } = this.#link.host;
    const kept = this.#membersOf(channel);
    // The text does not wait long for whom it names.
    const members = await inTime(kept.value, { clock, ms: kept.isLate ? 0 : NAMES_MS, signal }, (why) => {
      if (why === "late") kept.isLate = true;
      return NOBODY;
    });
    return new Map(
      names.flatMap((name) => {
        const id = members.get(name);
        return id === undefined || id === "" ? [] : [[name, id] as const];
      }),
    );
  }

  #membersOf(channel: ChannelRef): KeptNames {
    const { clock } = this.#link.host;
    const known = this.#members.get(channel);
    if (known !== undefined && known.untilMs > clock.monoMs()) return known;
    const kept = { value: this.#loadMembers(channel), untilMs: clock.monoMs() + MEMBERS_MS, isLate: false };
    this.#members.set(channel, kept);
    return kept;
  }

  async #loadMembers(channel: ChannelRef): Promise<Names> {
    const { api, people } = this.#link;
    const everybody = await this.#everybody();
    const names = new Map<string, string>();
    let strangers = STRANGERS_MAX;
    let cursor = "";
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const members = await api.members(channel, cursor, never);
      if (!members.ok) break;
      for (const id of members.value.users) {
        const known = everybody.get(id);
        const user = known ?? ((strangers -= 1) < 0 ? null : await people.get(id));
        if (user !== null) addNames(names, user);
      }
      cursor = members.value.next;
      if (cursor === "") break;
    }
    return names;
  }

  /** Of our workspace, by their ids. */
  async #everybody(): Promise<People> {
    const { clock } = this.#link.host;
    if (this.#people === null || this.#people.untilMs <= clock.monoMs())
      this.#people = { value: this.#loadEverybody(), untilMs: clock.monoMs() + PEOPLE_MS };
    return await this.#people.value;
  }

  async #loadEverybody(): Promise<People> {
    const people = new Map<string, SlackUser>();
    let cursor = "";
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const users = await this.#link.api.usersPage(cursor, never);
      if (!users.ok) break;
      for (const user of users.value.users) people.set(user.id, user);
      cursor = users.value.next;
      if (cursor === "") break;
    }
    return people;
  }
}

const NOBODY: Names = new Map();
const never = new AbortController().signal;

/** A name that two have is nobody's. */
function addNames(names: Map<string, string>, { id, name, displayName, realName, deleted }: SlackUser): void {
  if (deleted) return;
  for (const one of new Set([name, displayName, realName].map((each) => each.trim().toLowerCase()))) {
    if (one === "") continue;
    const other = names.get(one);
    names.set(one, other === undefined || other === id ? id : "");
  }
}
