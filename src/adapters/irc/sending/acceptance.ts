import type { OpId } from "../../../contract/ids.ts";
import type { ConnectionContext } from "../link.ts";
import type { IrcLine } from "../wire/wire.ts";
import type { LineTrait } from "./traits.ts";

/** What a refused line goes without when it is sent again. */
export interface Omission {
  readonly traits: readonly LineTrait[];
  /** The letter of the channel mode that refuses them; null: unknown. */
  readonly mode: string | null;
  /**
   * `channel`: each line to the channel, until the mode is removed. `op`: this op. `trial`: the next attempt of this
   * op; if that works, then as `channel`.
   */
  readonly until: "channel" | "op" | "trial";
}

/** How one op is to be sent. */
export interface OpForm {
  /** What its lines go without. */
  readonly without: ReadonlySet<LineTrait>;
  /** Those of them that nobody knows yet to be at fault. */
  readonly tried: readonly LineTrait[];
}

/** Letters that no channel refuses a line for: lists, the key and the limit, which change often. */
const HARMLESS = "beIkl";
const KNOWN_MAX = 1000;

/**
 * Which traits of lines each channel refuses, and which it is known to take. It is learned by sending, and forgotten
 * with the mode, when Rialto enters the channel again, and with the session.
 */
export class Acceptance {
  readonly #link: ConnectionContext;
  /** By channel: the letter of the mode that refuses each trait; null: unknown. */
  readonly #refused = new Map<string, Map<LineTrait, string | null>>();
  readonly #taken = new Map<string, Set<LineTrait>>();
  /** What an op goes without beside that; `tried`: in its next attempt alone. */
  readonly #omissions = new Map<OpId, { readonly always: Set<LineTrait>; tried: readonly LineTrait[] }>();

  constructor(link: ConnectionContext) {
    this.#link = link;
  }

  /** How the attempt of an op that begins now is to be sent. */
  form(key: string, op: OpId): OpForm {
    const own = this.#omissions.get(op);
    const tried = own?.tried ?? [];
    if (own !== undefined) own.tried = [];
    return { without: new Set([...(this.#refused.get(key)?.keys() ?? []), ...(own?.always ?? []), ...tried]), tried };
  }

  /** A line with these traits was refused. */
  refuse(key: string, op: OpId, { traits, mode, until }: Omission): void {
    for (const trait of traits) this.#taken.get(key)?.delete(trait);
    if (until === "channel") {
      this.#learn(key, traits, mode);
      return;
    }
    const own = this.#omissions.get(op) ?? { always: new Set<LineTrait>(), tried: [] };
    bounded(this.#omissions).set(op, own);
    if (until === "trial") own.tried = traits;
    else for (const trait of traits) own.always.add(trait);
  }

  /** The channel has taken a line with these traits. */
  take(key: string, traits: readonly LineTrait[]): void {
    if (traits.length === 0) return;
    const taken = this.#taken.get(key) ?? new Set();
    bounded(this.#taken).set(key, taken);
    for (const trait of traits) taken.add(trait);
  }

  /** An op went through. */
  passed(key: string, op: OpId, { tried }: OpForm): void {
    this.#omissions.delete(op);
    this.#learn(key, tried, null);
  }

  /** Whether nobody knows yet if the channel takes a line with these traits. */
  isUnsure(key: string, traits: readonly LineTrait[]): boolean {
    return traits.some((trait) => this.#taken.get(key)?.has(trait) !== true);
  }

  /** Looks for changes of modes in what the server says. */
  read({ command, params, source }: IrcLine): void {
    if (command === "JOIN" && source !== null && this.#link.isMe(source.nick)) this.#forget(params[0] ?? "");
    if (command === "MODE") this.#changed(this.#link.key(params[0] ?? ""), params[1] ?? "");
    if (command === "324") this.#are(this.#link.key(params[1] ?? ""), params[2] ?? "");
  }

  #changed(key: string, modes: string): void {
    let isOn = true;
    for (const letter of modes) {
      if (letter === "+" || letter === "-") isOn = letter === "+";
      else if (!HARMLESS.includes(letter) && !this.#link.isupport.prefix.has(letter)) this.#switched(key, letter, isOn);
    }
  }

  #switched(key: string, letter: string, isOn: boolean): void {
    if (isOn) this.#taken.delete(key);
    else this.#unlearn(key, (mode) => mode === null || mode === letter);
  }

  /** The modes that the channel has: all of them. */
  #are(key: string, modes: string): void {
    this.#unlearn(key, (mode) => mode !== null && !modes.includes(mode));
  }

  #unlearn(key: string, isOver: (mode: string | null) => boolean): void {
    const refused = this.#refused.get(key);
    for (const [trait, mode] of refused ?? []) if (isOver(mode)) refused?.delete(trait);
  }

  #learn(key: string, traits: readonly LineTrait[], mode: string | null): void {
    if (traits.length === 0) return;
    const refused = this.#refused.get(key) ?? new Map<LineTrait, string | null>();
    bounded(this.#refused).set(key, refused);
    for (const trait of traits) refused.set(trait, mode);
  }

  #forget(channel: string): void {
    const key = this.#link.key(channel);
    this.#refused.delete(key);
    this.#taken.delete(key);
  }
}

/** What is forgotten is learned again. */
function bounded<K, V>(known: Map<K, V>): Map<K, V> {
  if (known.size >= KNOWN_MAX) known.clear();
  return known;
}
