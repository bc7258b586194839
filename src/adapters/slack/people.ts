import type { RemoteFile } from "../../contract/content.ts";
import type { Author } from "../../contract/events.ts";
import type { Clock } from "../../contract/host.ts";
import { cut } from "../../content/length.ts";
import { cleanName } from "../kit/clean-name.ts";
import { Directory } from "../kit/directory.ts";
import { inTime } from "../kit/in-time.ts";
import type { SlackApi } from "./api.ts";
import { userRef } from "./ids.ts";
import type { SlackUser } from "./model.ts";
import type { SlackSettings } from "./settings.ts";

/** So many people are known at once, those who have spoken last; others are looked up again. */
const PEOPLE_MAX = 3_000;
/** One whom nobody knows is not asked for again for so long, nor is one who could not be looked up. */
const ABSENT_MS = 60_000;
const FAILED_MS = 20_000;
/** So long a name is waited for where nobody waits for what is said. */
const ASK_MS = 10_000;
/** Where so many were waited for in vain, and still nobody has said who they are, no other is waited for. */
const LATE_MAX = 100;
/** Who is looked up at once of those whom a history names. */
const LEARN_MAX = 4;
/** For each one of these who is not known, where they are many. */
const EACH_MS = 100;
const NAME_MAX = 80;

const never = new AbortController().signal;

interface SlackPeopleOptions {
  readonly api: Pick<SlackApi, "user">;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  readonly settings: Pick<SlackSettings, "UseFullName">;
}

/** Who people are: looked up when they first do something, also of other workspaces, and kept fresh by events. */
export class SlackPeople {
  readonly #options: SlackPeopleOptions;
  readonly #byId: Directory<string, SlackUser>;
  /** Those whom somebody has waited for in vain: nobody does that again. */
  readonly #late = new Set<string>();

  constructor(options: SlackPeopleOptions) {
    const { api, clock } = options;
    this.#options = options;
    this.#byId = new Directory({
      clock,
      max: PEOPLE_MAX,
      absentMs: ABSENT_MS,
      failedMs: FAILED_MS,
      load: async (id) => {
        const user = await api.user(id, never);
        if (!user.ok) throw new Error(user.failure.message);
        return user.value;
      },
    });
  }

  /** Null when there is none, or nobody says so in time. Never rejects. */
  async get(id: string, ms = ASK_MS): Promise<SlackUser | null> {
    if (id === "") return null;
    const found = this.#byId.get(id);
    return await inTime(found, { clock: this.#options.clock, ms }, () => {
      this.#late.add(id);
      void found.then(() => this.#late.delete(id));
      return null;
    });
  }

  /** Without asking anybody; null: not known now. */
  known(id: string): SlackUser | null {
    return this.#byId.known(id) ?? null;
  }

  /** Whether somebody has to be asked for this one, and can be asked now. */
  isToAsk(id: string): boolean {
    if (id === "" || this.#late.size >= LATE_MAX) return false;
    return this.#byId.known(id) === undefined && !this.#byId.hasFailed(id) && !this.#late.has(id);
  }

  /**
   * Looks up all who are not known, a few at once, of many for up to `maxMs`. False: of some of them nothing could be
   * said in time.
   */
  async learn(ids: Iterable<string>, ms = ASK_MS, maxMs = ms): Promise<boolean> {
    const { clock } = this.#options;
    const unknown = [...new Set(ids)].filter((id) => id !== "" && this.#byId.known(id) === undefined);
    const untilMs = clock.monoMs() + Math.min(maxMs, Math.max(ms, unknown.length * EACH_MS));
    for (let at = 0; at < unknown.length && clock.monoMs() < untilMs; at += LEARN_MAX) {
      const some = unknown.slice(at, at + LEARN_MAX);
      await Promise.all(some.map(async (id) => await this.get(id, untilMs - clock.monoMs())));
    }
    return unknown.every((id) => this.#byId.known(id) !== undefined);
  }

  /** Somebody has changed; who it was before. Those whom nobody has asked for stay unknown. */
  changed(user: SlackUser): Author | null {
    const known = this.known(user.id);
    if (known === null) return null;
    const before = this.author(user.id);
    this.#byId.put(user.id, user);
    return before;
  }

  /** `fallback`: the name of one whom nobody can look up; without any, the id tells people apart. */
  author(id: string, fallback = ""): Author {
    const user = this.known(id);
    const name = (this.nameOf(id) ?? "") || cleanName(fallback) || cleanName(id) || "somebody";
    const avatar = user === null ? null : pictureOf(user.picture);
    return {
      id: userRef(id),
      identity: null,
      name: cut(name, NAME_MAX, "codepoints"),
      avatar,
      ...(user?.isBot === true && { bot: true }),
    };
  }

  /** Null: not known now. */
  nameOf(id: string): string | null {
    const user = this.known(id);
    return user === null ? null : this.#nameIn(user) || null;
  }

  #nameIn({ displayName, realName, name }: SlackUser): string {
    const names = this.#options.settings.UseFullName ? [realName, displayName, name] : [displayName, realName, name];
    return names.map(cleanName).find((one) => one !== "") ?? "";
  }
}

/** Pictures of people are public. */
export function pictureOf(address: string | null): RemoteFile | null {
  if (address === null || !/^https?:\/\/\S+$/u.test(address)) return null;
  return { name: "avatar", comment: "", mime: null, bytes: null, url: address, ref: null };
}
