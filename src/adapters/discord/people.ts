import type { RemoteFile } from "../../contract/content.ts";
import type { Author } from "../../contract/events.ts";
import type { Clock } from "../../contract/host.ts";
import { cut } from "../../content/length.ts";
import { Lru } from "../../lib/lru.ts";
import { cleanName } from "../kit/clean-name.ts";
import { Directory } from "../kit/directory.ts";
import { inTime } from "../kit/in-time.ts";
import type { DiscordApi } from "./api.ts";
import { userRef } from "./ids.ts";
import type { DiscordMember, DiscordMessage, DiscordUser } from "./model.ts";
import type { DiscordSettings } from "./settings.ts";
import { siteOf } from "./site.ts";

/** So many people are known at once, those who have spoken last; others are looked up again. */
const PEOPLE_MAX = 3_000;
/** A name that nobody has is not asked for again for so long, nor is what could not be looked up. */
const ABSENT_MS = 60_000;
/** After a look-up that failed. */
const FAILED_MS = 20_000;
/** What is said must not wait longer for a name. */
const ASK_MS = 5_000;
/** Members whose names begin alike, of whom one may be meant. */
const FOUND_MAX = 25;
/** Beginnings with which no name begins. */
const MISSES_MAX = 1_000;
/** Mentions, channels and emoji as Discord writes them, and ids. */
const NO_NAME = /<[@#:/]|\d>|^\d{15,20}$/u;
const NAME_MAX = 80;

const never = new AbortController().signal;

interface DiscordPeopleOptions {
  readonly api: Pick<DiscordApi, "member" | "membersNamed">;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  readonly settings: Pick<DiscordSettings, "UseUserName" | "UseDiscriminator" | "ApiURL">;
  readonly guild: string;
}

/** Who people are: the events say it, and who is only named is looked up. */
export class DiscordPeople {
  readonly #options: DiscordPeopleOptions;
  readonly #cdn: string;
  readonly #byId: Directory<string, DiscordMember>;
  readonly #byName: Directory<string, string>;
  /** Until when members whose names begin like this are not searched again. */
  readonly #misses = new Lru<string, number>(MISSES_MAX);

  constructor(options: DiscordPeopleOptions) {
    const { api, clock, guild } = options;
    this.#options = options;
    this.#cdn = siteOf(options.settings).cdn;
    const kept = { clock, max: PEOPLE_MAX, absentMs: ABSENT_MS, failedMs: FAILED_MS };
    this.#byId = new Directory({
      ...kept,
      load: async (id) => await this.#answer(async (signal) => await api.member(guild, id, signal), null),
    });
    this.#byName = new Directory({
      ...kept,
      load: async (name) => {
        const ask = async (signal: AbortSignal) => await api.membersNamed(guild, name, FOUND_MAX, signal);
        if (this.#isMissed(name)) return null;
        const members = await this.#answer<readonly DiscordMember[] | null>(ask, null);
        if (members?.length === 0) this.#misses.set(name, clock.monoMs() + ABSENT_MS);
        const found = (members ?? []).filter((member) => namesOf(member).includes(name));
        for (const member of found) this.note(member);
        return found.length === 1 ? (found[0]?.user.id ?? null) : null;
      },
    });
  }

  /** What an event says of somebody. */
  note(member: DiscordMember): void {
    const before = this.known(member.user.id);
    const isNew = before === null || namesOf(before).join("\n") !== namesOf(member).join("\n");
    if (isNew)
      for (const name of [...namesOf(member), ...(before === null ? [] : namesOf(before))]) {
        this.#byName.forget(name);
        for (const begin of beginningsOf(name)) this.#misses.delete(begin);
      }
    this.#byId.put(member.user.id, member);
  }

  /** Who has left is mentioned no more. */
  left(user: string): void {
    const before = this.known(user);
    if (before !== null) for (const name of namesOf(before)) this.#byName.forget(name);
  }

  /** Without asking anybody; null: not known now. */
  known(user: string): DiscordMember | null {
    return this.#byId.known(user) ?? null;
  }

  /** Whether nobody has to be asked for this one. */
  isKnown(user: string): boolean {
    return this.#byId.known(user) !== undefined;
  }

  /** Null when there is no such member, or nobody says it in time. Never rejects. */
  async get(user: string): Promise<DiscordMember | null> {
    return user === "" ? null : await this.#byId.get(user);
  }

  /** The one member who has this name, in any spelling; null when there is none, or several. Never rejects. */
  async named(name: string): Promise<DiscordMember | null> {
    const wanted = lower(name);
    if (wanted === "" || NO_NAME.test(wanted)) return null;
    const id = await this.#byName.get(wanted);
    return id === null ? null : await this.get(id);
  }

  /** What people read: the name in the guild, the name of the account, or as the settings want it. */
  nameOf({ user, nick }: Pick<DiscordMember, "user" | "nick">): string {
    const { UseUserName, UseDiscriminator } = this.#options.settings;
    const username = clean(user.username);
    const name = (UseUserName ? username : clean(nick) || clean(user.globalName) || username) || "somebody";
    return UseDiscriminator && user.discriminator !== "" ? `${name}#${user.discriminator}` : name;
  }

  author(member: DiscordMember): Author {
    const { user } = member;
    const avatar = this.#picture(member);
    return {
      id: userRef(user.id),
      identity: null,
      name: this.nameOf(member),
      avatar,
      ...(user.isBot && { bot: true }),
    };
  }

  /** As well as it is known. */
  authorWith(user: string): Author {
    const member = this.known(user);
    return member === null
      ? { id: userRef(user), identity: null, name: "somebody", avatar: null }
      : this.author(member);
  }

  /** Who wrote it. A webhook speaks for anybody: who has another name there is somebody else. */
  writer({ author, member, webhook, application }: DiscordMessage): Author {
    // An answer to a command comes by a webhook with the id of the application, whose bot it is.
    if (webhook === "" || webhook === application) return this.author(member ?? this.known(author.id) ?? bare(author));
    const name = clean(author.username) || "somebody";
    const avatar = this.#picture(bare(author));
    return { id: userRef(`${webhook}/${name}`), identity: null, name, avatar, bot: true };
  }

  #isMissed(name: string): boolean {
    const nowMs = this.#options.clock.monoMs();
    return beginningsOf(name).some((begin) => (this.#misses.get(begin) ?? 0) > nowMs);
  }

  #picture(member: DiscordMember): RemoteFile {
    return picture(`${this.#cdn}/${avatarOf(member, this.#options.guild)}`);
  }

  /** Who does not answer in time, or answers that there is none, is nobody for a while. */
  async #answer<T>(
    ask: (signal: AbortSignal) => Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false }>,
    otherwise: T,
  ): Promise<T> {
    const giveUp = new AbortController();
    const answer = await inTime(
      ask(giveUp.signal),
      { clock: this.#options.clock, ms: ASK_MS, signal: never },
      () => null,
    );
    giveUp.abort();
    return answer?.ok === true ? answer.value : otherwise;
  }
}

const beginningsOf = (name: string): readonly string[] =>
  Array.from({ length: name.length }, (_, at) => name.slice(0, at + 1));

const bare = (user: DiscordUser): DiscordMember => ({ user, nick: "", avatar: "", roles: [] });

const lower = (name: string): string => clean(name).toLowerCase();

/** All by which somebody may be called. */
function namesOf({ user, nick }: DiscordMember): readonly string[] {
  return [nick, user.globalName, user.username].map(lower).filter((name) => name !== "");
}

/** The addresses of pictures are public and stay: their paths. */
function avatarOf({ user, avatar }: DiscordMember, guild: string): string {
  if (avatar !== "") return `guilds/${guild}/users/${user.id}/avatars/${avatar}.png`;
  if (user.avatar !== "") return `avatars/${user.id}/${user.avatar}.png`;
  return `embed/avatars/${numberOfDefault(user)}.png`;
}

/** Which of the pictures somebody has who has none. */
function numberOfDefault({ id, discriminator }: DiscordUser): number {
  if (discriminator !== "") return Number(discriminator) % 5 || 0;
  return /^\d{1,20}$/.test(id) ? Number((BigInt(id) >> 22n) % 6n) : 0;
}

const picture = (url: string): RemoteFile => ({
  name: "avatar.png",
  comment: "",
  mime: "image/png",
  bytes: null,
  url,
  ref: null,
});

/** What people and servers write as a name, as one. */
export function clean(name: string): string {
  return cut(cleanName(name), NAME_MAX, "codepoints");
}
