import type { Random } from "../random.ts";
import { json, mutated, text, word } from "../text.ts";

/** What stands for something that only a run knows: as long as that, so that lengths stay right. */
const HOLES = {
  message: { sign: "~M", length: 23 },
  file: { sign: "~F", length: 22 },
  invite: { sign: "~I", length: 43 },
  cookie: { sign: "~C", length: "guest-65535=".length + 43 },
} as const;
export type Hole = keyof typeof HOLES;
/** So many of each can be named. */
const EACH = 4;

export const hole = (of: Hole, at: number): string => `${HOLES[of].sign}${at}`.padEnd(HOLES[of].length, "_");
const anyOf = (random: Random, of: Hole): string => hole(of, random.int(EACH));

const EMOJI = ["👍", "%F0%9F%91%8D", "❤️", ":cat:", "::", "%00", "word", "👍👍", "%zz", "1️⃣", "🇩🇪"];
const KEYS = "text reply_to files name invite on id why key limit after before __proto__ toString".split(" ");
const STRANGE_PATHS =
  "/ /join /join#x /assets/ /assets/../../package.json /assets/%2e%2e/x /v1 /v1/ /v1//me /v1/../v1/me /v1/%6de /v1/messages/ /v1/messages//reactions/x /v1/files/ /v1/files/../chat.sqlite /v1/files/%2e%2e%2fchat.sqlite /favicon.ico * //v1/me http://e.example/v1/me /v1/me%00 /v1/me?%zz=1 /chat.html".split(
    " ",
  );
const NAMES = ["ann", "Rialto", "a\u0301nn", "guest", "(guest)", "\u202eann", "1", "👩‍👩‍👧‍👦", "ann 2", "x".repeat(33)];
/** Behind a proxy that is trusted; the last ones are no addresses. */
const ADDRESSES = [
  "192.0.2.1",
  "192.0.2.77",
  "198.51.100.3",
  "2001:db8::1",
  "2001:db8:0:0:ffff::2",
  "::ffff:192.0.2.9",
  "fe80::1%eth0",
  "127.0.0.1",
  "x",
  "",
  "1.2.3",
  "::::",
  ", ,",
];

interface Request {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  readonly body: string | null;
}

const isPlain = (words: string): string => words.replaceAll(/[^ -~]/gu, "?");

function written({ method, path, fields, body }: Request): string {
  const length = body === null ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[`${method} ${path} HTTP/1.1`, ...fields, ...length, "", ""].join("\r\n")}${body ?? ""}`;
}

/** What a page asks, or nearly. */
function request(random: Random): Request {
  const own = [`Host: localhost`, `Cookie: ${anyOf(random, "cookie")}`];
  const fields = [...own, "X-Rialto: 1", ...(random.chance(0.3) ? [`X-Forwarded-For: ${random.pick(ADDRESSES)}`] : [])];
  const call = (method: string, path: string, value?: unknown, more: readonly string[] = []): Request => {
    const body = value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);
    const type = body === null ? [] : ["Content-Type: application/json"];
    return { method, path, fields: [...fields, ...type, ...more], body };
  };
  const message = `/v1/messages/${random.chance(0.9) ? anyOf(random, "message") : encodeURIComponent(word(random).toWellFormed())}`;
  const posting = (): Request => call("POST", "/v1/messages", draft(random), [`Idempotency-Key: ${key(random)}`]);
  return random.pick([
    posting,
    posting,
    posting,
    () => call("PATCH", message, { text: words(random) }),
    () => call("DELETE", message),
    () => call(random.pick(["PUT", "PUT", "DELETE"]), `${message}/reactions/${random.pick(EMOJI)}`),
    () => call("POST", "/v1/join", { invite: anyOf(random, "invite"), name: name(random) }),
    () => call("PATCH", "/v1/me", { name: name(random) }),
    () => call("GET", random.pick(["/v1/me", "/v1/members", "/v1/history"])),
    () =>
      call("GET", `/v1/history?before=${anyOf(random, "message")}&limit=${random.pick(["1", "0", "-1", "x", "1e9"])}`),
    () => upload(random, fields),
    () => upload(random, fields),
    () => call("GET", `/v1/files/${anyOf(random, "file")}`),
    () => call("POST", "/v1/typing", random.pick([undefined, { on: true }, { on: false }, { on: "x" }])),
    () => call("POST", "/v1/report", { id: anyOf(random, "message"), why: words(random) }),
    () => call("GET", "/v1/events", undefined, [`Last-Event-ID: ${random.pick(["0", "1", "999999", "-1", "x", ""])}`]),
    () => call("POST", "/v1/leave"),
  ])();
}

const words = (random: Random): string => (random.chance(0.01) ? word(random).repeat(70_000) : text(random, 8));
const name = (random: Random): string => (random.chance(0.5) ? random.pick(NAMES) : text(random, 3));
const key = (random: Random): string =>
  random.chance(0.9) ? `key-${random.int(30)}` : isPlain(text(random, 4)).replaceAll(" ", "");

function draft(random: Random): unknown {
  const files = random.some(3, () => anyOf(random, "file"));
  return {
    text: words(random),
    ...(random.chance(0.2) && { reply_to: anyOf(random, "message") }),
    ...(files.length > 0 && { files }),
  };
}

function upload(random: Random, fields: readonly string[]): Request {
  const size = random.chance(0.05) ? 21_000 : random.int(400);
  const path = `/v1/files?name=${encodeURIComponent(text(random, 3).toWellFormed())}`;
  const head = random.pick(["", "GIF89a", "<svg>", "%PDF-"]);
  return { method: "POST", path, fields, body: head + "x".repeat(size) };
}

const FIELDS = [
  "Content-Type: text/plain",
  "Content-Type: application/json; charset=utf-16",
  "Content-Type:",
  "Origin: http://e.example",
  "Origin: null",
  "Origin: http://localhost",
  "Sec-Fetch-Site: cross-site",
  "Host: e.example",
  "Host: [::1]:80",
  "Host:",
  "X-Rialto: 0",
  "X-Rialto:",
  "Expect: 100-continue",
  "Expect: x",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 99999999999",
  "Connection: close",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Range: bytes=0-",
  "Cookie: =",
  "Cookie: ; ;=;",
  "Cookie: guest-1=x; guest-1=y",
  "If-None-Match: *",
  "Accept-Encoding: gzip, br, x",
  "Last-Event-ID: 99999999999999999999",
  "Idempotency-Key:",
  "TE: trailers",
];

function field(random: Random): string {
  if (random.chance(0.6)) return random.pick(FIELDS);
  if (random.chance(0.1)) return `X: ${"x".repeat(random.int(random.chance(0.2) ? 20_000 : 100))}`;
  return `${oneLine(word(random))}: ${oneLine(text(random, 2))}`;
}

const oneLine = (some: string): string => some.replaceAll(/[\r\n\0]/gu, " ");

/** A request whose parts are not all as a page would send them. */
function strange(random: Random): string {
  const sound = request(random);
  const method = random.chance(0.2)
    ? random.pick(["HEAD", "OPTIONS", "TRACE", "CONNECT", "PRI", "get", "PUT"])
    : sound.method;
  const path = random.chance(0.3) ? random.pick(STRANGE_PATHS) : sound.path;
  const body =
    random.chance(0.4) && sound.body !== null
      ? random.chance(0.5)
        ? JSON.stringify(json(random, KEYS))
        : mutated(random, sound.body)
      : sound.body;
  const fields = [...sound.fields.filter(() => !random.chance(0.1)), ...random.some(3, () => field(random))];
  const made = written({ method, path, fields, body });
  if (random.chance(0.05)) return text(random, 40);
  return random.chance(0.25) ? mutated(random, made) : made;
}

/** What goes over one connection. */
export interface Talk {
  readonly words: string;
  /** Sent in pieces of so many bytes; 0: at once. */
  readonly piece: number;
  /** Nothing of what comes is read. */
  readonly deaf: boolean;
  /** It is cut after so many bytes; null: it is not. */
  readonly cut: number | null;
}

function talk(random: Random): Talk {
  const strangeness = random.pick([0.02, 0.3, 0.7]);
  const requests = Array.from({ length: 1 + random.int(8) }, () =>
    random.chance(strangeness) ? strange(random) : written(request(random)),
  );
  // The server closes behind it.
  if (random.chance(0.9)) requests.push("GET /v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const all = requests.join("");
  return {
    words: all,
    piece: random.chance(0.03) && all.length < 20_000 ? 1 + random.int(400) : 0,
    deaf: random.chance(0.03),
    cut: random.chance(0.05) ? random.int(Buffer.byteLength(all)) : null,
  };
}

export type Deed =
  | { readonly is: "talk"; readonly talks: readonly Talk[] }
  | { readonly is: "operator"; readonly what: string; readonly at: number; readonly on: boolean }
  | { readonly is: "network"; readonly what: "post" | "edit" | "delete" | "react"; readonly text: string }
  | { readonly is: "time"; readonly ms: number; readonly calendarMs: number };

export const ACTS = "mute unmute ban unban purge".split(" ") as readonly (
  | "mute"
  | "unmute"
  | "ban"
  | "unban"
  | "purge"
)[];
const OPERATORS = [...ACTS, "approve", "reject", "settle", "revoke", "invite", "hold", "slow", "links"];
const DAY = 24 * 60 * 60_000;

export function deed(random: Random): Deed {
  switch (random.int(10)) {
    case 0:
    case 1:
      return { is: "operator", what: random.pick(OPERATORS), at: random.int(EACH), on: random.chance(0.5) };
    case 2:
      return {
        is: "network",
        what: random.pick(["post", "post", "edit", "delete", "react"] as const),
        text: text(random, 8),
      };
    case 3:
      return {
        is: "time",
        ms: random.pick([0, 1_000, 25_000, random.chance(0.2) ? 250_000 : 3_000]),
        calendarMs: random.chance(0.05) ? random.pick([DAY, -DAY, 40 * DAY]) : 0,
      };
    default:
      return { is: "talk", talks: Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => talk(random)) };
  }
}
