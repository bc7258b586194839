/**
 * Capability negotiation (IRCv3 "Capability Negotiation" 302), without I/O: `CAP` lines in, the next state and requests
 * out. Nothing is ever asked for but what the caller wants by name: servers offer capabilities that break a client.
 */
export interface Caps {
  /** What the server offers, with its values; complete once `listed`. */
  readonly offered: ReadonlyMap<string, string>;
  readonly enabled: ReadonlySet<string>;
  /** Asked for and not answered. */
  readonly pending: ReadonlySet<string>;
  /** The pending ones went out in one request, which is refused as a whole. */
  readonly joint: boolean;
  readonly listed: boolean;
}

export const NO_CAPS: Caps = {
  offered: new Map(),
  enabled: new Set(),
  pending: new Set(),
  joint: false,
  listed: false,
};

export interface CapStep {
  readonly caps: Caps;
  /** Each is the text of one `CAP REQ :<text>`. */
  readonly requests: readonly string[];
}

const WANTED = [
  "message-tags",
  "server-time",
  "echo-message",
  "labeled-response",
  "batch",
  "account-tag",
  "away-notify",
  "userhost-in-names",
  "draft/message-redaction",
  "draft/multiline",
  "draft/chathistory",
  "draft/event-playback",
] as const;

/** Names of one capability, the newest first: a server that has both is asked for that. */
export const METADATA = ["draft/metadata-3", "draft/metadata-2"] as const;

/** Names of one capability; the second is what it was called first. */
export const RELAYMSG = ["draft/relaymsg", "overdrivenetworks.com/relaymsg"] as const;

/**
 * What an account wants to have: `sasl` only when it logs in that way, `draft/relaymsg` only when it shows others'
 * names.
 */
export function wantedCaps(options: { readonly sasl: boolean; readonly relay: boolean }): readonly string[] {
  return [...WANTED, ...METADATA, ...(options.relay ? RELAYMSG : []), ...(options.sasl ? ["sasl"] : [])];
}

/** The list is here and every request is answered: registration continues. */
export function capsSettled(caps: Caps): boolean {
  return caps.listed && caps.pending.size === 0;
}

/** Takes one `CAP` line in: its parameters, from our nick or `*` on. */
export function onCap(caps: Caps, params: readonly string[], wanted: readonly string[]): CapStep {
  const [, subcommand = "", ...rest] = params;
  const more = rest.length > 1 && rest[0] === "*";
  const words = (rest.at(-1) ?? "").split(" ").filter((word) => word !== "");
  switch (subcommand.toUpperCase()) {
    case "LS":
      return listed(caps, words, more, wanted);
    case "NEW":
      return asked(offer(caps, words), wanted, false);
    case "DEL":
      return { caps: without(caps, words.map(nameOf)), requests: [] };
    case "ACK":
      return { caps: acknowledged(caps, words), requests: [] };
    case "NAK":
      return refused(caps, words.map(nameOf));
    default:
      return { caps, requests: [] };
  }
}

/** A server without CAP (421, or registered without an answer): nothing is offered. */
export function withoutCaps(): Caps {
  return { ...NO_CAPS, listed: true };
}

/** Offers beyond this many are not looked at. */
const OFFERED_MAX = 500;

function listed(caps: Caps, words: readonly string[], more: boolean, wanted: readonly string[]): CapStep {
  const offered = offer(caps, words);
  if (more) return { caps: offered, requests: [] };
  return asked({ ...offered, listed: true }, wanted, true);
}

function offer(caps: Caps, words: readonly string[]): Caps {
  const offered = new Map(caps.offered);
  for (const word of words) {
    const equals = word.indexOf("=");
    if (offered.size < OFFERED_MAX) offered.set(nameOf(word), equals === -1 ? "" : word.slice(equals + 1));
  }
  return { ...caps, offered };
}

function asked(caps: Caps, wanted: readonly string[], joint: boolean): CapStep {
  const isOld = (name: string): boolean => name === METADATA[1] && caps.offered.has(METADATA[0]);
  const names = wanted.filter(
    (name) => caps.offered.has(name) && !caps.enabled.has(name) && !caps.pending.has(name) && !isOld(name),
  );
  if (names.length === 0) return { caps, requests: [] };
  const pending = new Set([...caps.pending, ...names]);
  return joint && names.length > 1
    ? { caps: { ...caps, pending, joint: true }, requests: [names.join(" ")] }
    : { caps: { ...caps, pending }, requests: names };
}

function acknowledged(caps: Caps, words: readonly string[]): Caps {
  const enabled = new Set(caps.enabled);
  const pending = new Set(caps.pending);
  for (const word of words) {
    const name = nameOf(word);
    if (word.startsWith("-")) enabled.delete(name);
    // What nobody asked for is not taken.
    else if (pending.has(name)) enabled.add(name);
    pending.delete(name);
  }
  return { ...caps, enabled, pending, joint: caps.joint && pending.size > 0 };
}

/** One refused capability takes a joint request down with it: then each is asked for by itself. */
function refused(caps: Caps, names: readonly string[]): CapStep {
  if (caps.joint) return { caps: { ...caps, joint: false }, requests: [...caps.pending] };
  const pending = new Set(caps.pending);
  for (const name of names) pending.delete(name);
  return { caps: { ...caps, pending }, requests: [] };
}

function without(caps: Caps, names: readonly string[]): Caps {
  const gone = new Set(names);
  const kept = (set: ReadonlySet<string>): ReadonlySet<string> => new Set([...set].filter((name) => !gone.has(name)));
  return {
    ...caps,
    offered: new Map([...caps.offered].filter(([name]) => !gone.has(name))),
    enabled: kept(caps.enabled),
    pending: kept(caps.pending),
  };
}

/** Without its value, and the marks `-`, `~` and `=` that answers carry. */
function nameOf(word: string): string {
  return word.replace(/^[-~=]+/, "").replace(/=.*$/s, "");
}
