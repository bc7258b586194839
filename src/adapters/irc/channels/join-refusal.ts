import type { ReasonCode } from "../../../contract/outcome.ts";
import type { Joined } from "../../../contract/session.ts";
import { quote } from "../quote.ts";
import type { IrcLine } from "../wire/wire.ts";

interface Meaning {
  readonly code: ReasonCode;
  readonly message: string;
  /** Null: the core chooses. */
  readonly retryInMs: number | null;
}

const MINUTE_MS = 60_000;

/** RFC 2812 §5.2, and what networks of today add. Each names the channel as its second parameter. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["403", { code: "not_found", message: "there is no such channel, and Rialto may not create it", retryInMs: null }],
  ["405", { code: "forbidden", message: "Rialto is in too many channels", retryInMs: null }],
  ["407", { code: "not_found", message: "the name matches several channels", retryInMs: null }],
  ["437", { code: "forbidden", message: "it is closed for a few minutes", retryInMs: MINUTE_MS }],
  ["439", { code: "rate_limited", message: "Rialto joins too fast", retryInMs: MINUTE_MS / 2 }],
  ["448", { code: "not_found", message: "the server does not accept this name", retryInMs: null }],
  ["470", { code: "forbidden", message: "the server forwards Rialto to another channel", retryInMs: null }],
  ["471", { code: "forbidden", message: "it is full", retryInMs: MINUTE_MS }],
  [
    "473",
    { code: "forbidden", message: "it needs an invitation: use /invite, and Rialto joins at once", retryInMs: null },
  ],
  ["474", { code: "forbidden", message: "Rialto is banned from it", retryInMs: 5 * MINUTE_MS }],
  ["475", { code: "forbidden", message: "the key is wrong; set options.key of its bridge", retryInMs: null }],
  ["476", { code: "not_found", message: "the server does not accept this name", retryInMs: null }],
  ["477", { code: "forbidden", message: "only logged-in nicks may enter; see UseSASL", retryInMs: MINUTE_MS }],
  ["479", { code: "not_found", message: "the server does not accept this name", retryInMs: null }],
  ["489", { code: "forbidden", message: "only TLS connections may enter; set UseTLS = true", retryInMs: null }],
  ["500", { code: "rate_limited", message: "too many people are joining it right now", retryInMs: MINUTE_MS / 2 }],
  ["520", { code: "forbidden", message: "only operators of the network may enter", retryInMs: null }],
]);

/** These answer something else that was sent to the channel, by RunCommands. */
const NOT_OF_JOIN: ReadonlySet<string> = new Set(["404", "441", "442", "482"]);

/** Why a channel cannot be entered, when the line says so; the channel as the server writes it. */
export function joinRefusal({ command, params }: IrcLine): {
  readonly channel: string;
  readonly joined: Extract<Joined, { ok: false }>;
} | null {
  const channel = params[1];
  const text = params.at(-1) ?? "";
  if (channel === undefined) return null;
  const known = MEANINGS.get(command);
  if (known === undefined && (NOT_OF_JOIN.has(command) || !/^[45]\d\d$/u.test(command))) return null;
  const meaning = known ?? { code: "forbidden", message: "the server refuses", retryInMs: null };
  const why = { code: meaning.code, message: `cannot join ${quote(channel)}: ${meaning.message} (${quote(text)})` };
  return { channel, joined: { ok: false, why, retryInMs: meaning.retryInMs } };
}
