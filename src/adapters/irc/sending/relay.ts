import type { Style } from "../../../contract/content.ts";
import type { Host } from "../../../contract/host.ts";
import type { OpAuthor } from "../../../contract/ops.ts";
import { withoutControls } from "../../../content/irc.ts";
import { cut } from "../../../content/length.ts";
import { RELAYMSG } from "../wire/caps.ts";
import type { ConnectionContext } from "../link.ts";
import type { LearnedLimitation } from "./refusal.ts";
import type { IrcSettings } from "../settings.ts";

/**
 * How a message gets its author's name: under that name itself, under one for all with the name in the text, or only in
 * the text.
 */
export type IdentityLevel = { readonly nick: string; readonly named: boolean } | null;

const LEARNED_MAX = 1000;
/** Where a server names no separator: no nick of a person has it. */
const SEPARATOR = "/";

/**
 * Relaying under others' names (`draft/relaymsg`), and what the server does not take of it; forgotten with the session.
 */
export class Relay {
  readonly #link: ConnectionContext;
  readonly #settings: RelaySettings;
  readonly #log: Host["log"];
  readonly #badNicks = new Set<string>();
  /** By key. */
  readonly #refusedIn = new Set<string>();
  /** The server has refused a nick with letters beyond ASCII. */
  #isAsciiOnly = false;

  constructor(options: {
    readonly link: ConnectionContext;
    readonly settings: RelaySettings;
    readonly log: Host["log"];
  }) {
    this.#link = options.link;
    this.#settings = options.settings;
    this.#log = options.log;
  }

  /** Whether messages of people are to go out this way where the server lets them. */
  get wanted(): boolean {
    return this.#settings.UseRelayMsg;
  }

  level(author: OpAuthor, key: string): IdentityLevel {
    const { UseRelayFallback, RelayFallbackNick } = this.#settings;
    if (!this.wanted || !RELAYMSG.some((name) => this.#link.has(name)) || this.#refusedIn.has(key)) return null;
    const nick = this.#nick(author.shown, author.account, [author.name, author.id]);
    if (nick !== null && !this.#badNicks.has(nick)) return { nick, named: false };
    const fallback = UseRelayFallback ? this.#nick(RelayFallbackNick, author.account, []) : null;
    return fallback === null || this.#badNicks.has(fallback) ? null : { nick: fallback, named: true };
  }

  learn(limitation: LearnedLimitation, nick: string, key: string): void {
    const learned = limitation === "nick" ? this.#badNicks : this.#refusedIn;
    const what = limitation === "nick" ? nick : key;
    if (learned.has(what)) return;
    if (limitation === "nick" && !ASCII.test(nick) && !this.#link.isupport.utf8nicks) this.#isAsciiOnly = true;
    // What is forgotten is learned again.
    if (learned.size >= LEARNED_MAX) learned.clear();
    learned.add(what);
    if (limitation === "nick") this.#log.debug({ nick }, "the server does not accept this name for RELAYMSG");
    else this.#log.warn({ channel: key }, "the server refuses RELAYMSG here; names are put before the text");
  }

  /** Who speaks, where the name comes before the text after all: a format for nicks may have no blank at its end. */
  inText(author: OpAuthor, style: Style): OpAuthor {
    const { shown } = author;
    if (!this.wanted || shown === "" || /\s$/u.test(shown)) return author;
    return { ...author, shown: shown + (style === "action" ? " " : ": ") };
  }

  /** Whether somebody of this nick was relayed by a program. */
  isRelayed(nick: string): boolean {
    return this.wanted && Array.from(this.#separators()).some((separator) => nick.includes(separator));
  }

  #nick(shown: string, account: string, theirs: readonly string[]): string | null {
    const { nicklen, utf8nicks } = this.#link.isupport;
    // Few servers say what nicks they take here: the others are asked once, by the first such name.
    const utf8 = UTF8.test(this.#settings.Charset) && (utf8nicks || !this.#isAsciiOnly);
    return relayNick(shown, { account, theirs, separators: this.#separators(), nicklen, utf8 });
  }

  #separators(): string {
    return RELAYMSG.map((name) => this.#link.caps.offered.get(name) ?? "").find((value) => value !== "") ?? SEPARATOR;
  }
}

type RelaySettings = Pick<IrcSettings, "UseRelayMsg" | "UseRelayFallback" | "RelayFallbackNick" | "Charset">;

/** Charsets by which a line is written in UTF-8. */
const UTF8 = /^(?:|autodetect|utf-?8)$/iu;
const ASCII = /^[ -~]*$/u;

/** After the last separator; longer is no mark of where somebody is from. */
const SUFFIX_MAX = 12;

/**
 * A name as RELAYMSG takes it: signs that may not be in a nick become `-`, and a separator with the first letter of the
 * protocol is added where there is none of the operator's. Null when nothing is left of it, or when it has letters that
 * the server does not take: with others in their place it would be somebody else's.
 */
export function relayNick(
  shown: string,
  options: {
    readonly account: string;
    /** What in it people have chosen themselves. */
    readonly theirs: readonly string[];
    readonly separators: string;
    readonly nicklen: number;
    /** Letters of all writings are taken. */
    readonly utf8: boolean;
  },
): string | null {
  const { separators, utf8, nicklen, account, theirs } = options;
  const text = theirs.reduce((before, own) => withoutMarks(before, visible(own), separators), visible(shown));
  if (!utf8 && /[^\0-\x7f]/u.test(text.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ""))) return null;
  const letters = Array.from(text, (character) =>
    LETTER.test(character) || separators.includes(character) ? character : GAP,
  ).join("");
  const name = letters
    .replaceAll(OUTER_GAPS, "")
    .replaceAll(GAPS, "-")
    .replace(/^[-~]+/u, "");
  const at = Math.max(...Array.from(separators, (separator) => name.lastIndexOf(separator)));
  const hasOwn = at >= 0 && name.length - at <= SUFFIX_MAX;
  const suffix = hasOwn ? name.slice(at) : `${separators.charAt(0)}${account.charAt(0)}`;
  // Servers count bytes.
  const room = Math.max(nicklen - Buffer.byteLength(suffix), 4);
  const base = cut(hasOwn ? name.slice(0, at) : name, room, "bytes");
  const isNothing = Array.from(base).every((character) => separators.includes(character));
  return isNothing ? null : base + suffix;
}

const LETTER = /^[\p{L}\p{M}\p{N}[\]\\`_^{|}-]$/u;

/** Also without what nobody sees, such as the mark that keeps a name from calling its owner. */
function visible(text: string): string {
  return withoutControls(text)
    .replaceAll(/\p{Cf}/gu, "")
    .normalize("NFC");
}

/** Whoever wrote a separator into a name of their own would look like somebody of another network. */
function withoutMarks(shown: string, own: string, separators: string): string {
  const dashed = (text: string): string =>
    Array.from(text, (character) => (separators.includes(character) ? "-" : character)).join("");
  if (dashed(own) === own) return shown;
  return shown.includes(own) ? shown.replaceAll(own, () => dashed(own)) : shown;
}

/** What brackets and spaces around a name leave is nothing, inside it a dash. */
const GAP = "\0";
// oxlint-disable-next-line eslint/no-control-regex -- the mark of a gap
const GAPS = /\0+/gu;
// oxlint-disable-next-line eslint/no-control-regex -- the mark of a gap
const OUTER_GAPS = /^\0+|\0+$|\0+(?=[/])/gu;
