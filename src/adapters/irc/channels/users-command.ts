import type { Event } from "../../../contract/events.ts";
import { userRef } from "../ids.ts";
import type { ChannelRef } from "../../../contract/ids.ts";
import type { Clock } from "../../../contract/host.ts";
import type { ConnectionContext } from "../link.ts";
import { rankedNickOf } from "./members.ts";
import type { IrcLine } from "../wire/wire.ts";

const COMMAND = "!users";
/** Names that one answer holds. */
const NAMES_MAX = 300;
/** Posts of one answer; whoever has no room in them is counted. */
const POSTS_MAX = 3;
/** Of one channel. */
const PEOPLE_MAX = 20_000;
/** The question may come by several gateways, and again and again: one answer in so long. */
const REST_MS = 10_000;
/** A list that the server does not end is forgotten. */
const WAIT_MS = 30_000;

interface Asked {
  readonly ref: ChannelRef;
  readonly names: string[];
  readonly cancel: () => void;
}

/**
 * Somebody on another network wants to know who is in the channel: the list of names goes where the question came from.
 */
export class UsersCommand {
  readonly #link: ConnectionContext;
  readonly #clock: Clock;
  readonly #asked = new Map<string, Asked>();
  /** When each channel can be asked for again; Unix milliseconds. */
  readonly #restUntil = new Map<string, number>();

  constructor(link: ConnectionContext, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** A message to the channel was sent: perhaps it is the question. */
  heard(text: string, ref: ChannelRef): void {
    const key = this.#link.key(ref);
    if (text.trim() !== COMMAND || this.#asked.has(key)) return;
    if (this.#clock.monoMs() < (this.#restUntil.get(key) ?? -Infinity) || !this.#link.send("NAMES", [ref])) return;
    const cancel = this.#clock.after(WAIT_MS, () => this.#asked.delete(key));
    this.#asked.set(key, { ref, names: [], cancel });
  }

  /** Takes a line of the server's; the answer, once the list is complete. */
  take({ command, params }: IrcLine): readonly Event[] {
    if (command !== "353" && command !== "366") return [];
    const key = this.#link.key(params[command === "353" ? 2 : 1] ?? "");
    const asked = this.#asked.get(key);
    if (asked === undefined) return [];
    if (command === "353") {
      const names = (params[3] ?? "").split(" ").map((name) => rankedNickOf(name, this.#link.isupport));
      for (const name of names) if (name !== "" && asked.names.length < PEOPLE_MAX) asked.names.push(name);
      return [];
    }
    asked.cancel();
    this.#asked.delete(key);
    this.#restUntil.set(key, this.#clock.monoMs() + REST_MS);
    return this.#answers(asked);
  }

  stop(): void {
    for (const { cancel } of this.#asked.values()) cancel();
    this.#asked.clear();
  }

  #answers({ ref, names }: Asked): readonly Event[] {
    const sorted = [...new Set(names)].sort();
    const texts: string[] = [];
    for (let at = 0; at < sorted.length && texts.length < POSTS_MAX; at += NAMES_MAX) {
      const more = texts.length + 1 < POSTS_MAX ? 0 : Math.max(sorted.length - at - NAMES_MAX, 0);
      const rest = more === 0 ? "" : ` and ${more} more`;
      texts.push(`${sorted.slice(at, at + NAMES_MAX).join(", ")}${rest} currently on IRC`);
    }
    const { nick } = this.#link;
    return texts.map((text) => ({
      kind: "posted",
      key: null,
      channel: ref,
      atMs: this.#clock.nowMs(),
      echoOf: null,
      messages: [],
      author: { id: userRef(nick), identity: null, name: nick, avatar: null },
      body: {
        style: "normal",
        source: { format: "plain", text },
        files: [],
      },
      replyTo: null,
      thread: null,
    }));
  }
}
