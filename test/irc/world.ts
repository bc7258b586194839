import type { Message } from "../../src/contract/message.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { Durations } from "../../bench/lib/stats.ts";
import { subjectOf } from "../../src/gateway/subject.ts";
import type { ApiClient } from "../support/client.ts";
import type { ApiStream } from "../support/stream.ts";
import type { Heard, Person } from "../servers/people/person.ts";

interface IrcAccount {
  readonly port: number;
  readonly channel: string;
  /** `rialto` when absent. */
  readonly nick?: string;
  /** Password of the channel. */
  readonly key?: string;
  /** Further lines of its section; without pacing when absent. */
  readonly settings?: string;
}

/** TOML of one gateway with IRC accounts, each in one channel, and API accounts. */
export function gateway(parts: {
  readonly irc: Readonly<Record<string, IrcAccount>>;
  readonly api: readonly string[];
  readonly name?: string;
}): string {
  const lines: string[] = [];
  for (const [account, { port, nick, settings }] of Object.entries(parts.irc)) {
    lines.push(`[irc.${account}]`, `Server = "127.0.0.1:${port}"`, `Nick = "${nick ?? "rialto"}"`);
    lines.push('RemoteNickFormat = "<{NICK}> "', settings ?? "MessageDelay = 0");
  }
  for (const account of parts.api) lines.push(`[api.${account}]`, "Buffer = 100000", "ShowJoinPart = true");
  lines.push("[[gateway]]", `name = "${parts.name ?? "square"}"`, "enable = true");
  const bridges = [
    ...Object.entries(parts.irc).map(([account, { channel, key }]) => [`irc.${account}`, channel, key] as const),
    ...parts.api.map((account) => [`api.${account}`, "api", undefined] as const),
  ];
  for (const [account, channel, key] of bridges) {
    lines.push("[[gateway.inout]]", `account = "${account}"`, `channel = "${channel}"`);
    if (key !== undefined) lines.push(`options = { key = "${key}" }`);
  }
  return `${lines.join("\n")}\n`;
}

/** Resolves once this person has seen Rialto come in as often as said. */
export async function arrival(
  person: Person,
  channel: string,
  { times = 1, by = "rialto" }: { readonly times?: number; readonly by?: string } = {},
): Promise<void> {
  const came = (heard: readonly Heard[]): boolean =>
    heard.filter(({ kind, nick }) => kind === "join" && nick === by).length >= times;
  await person.ears.until(channel, came, `join number ${times} of ${by}`);
}

/** What Rialto said, in order, without this prefix; what does not begin with it is left out. */
export function brought(heard: readonly Heard[], prefix: string, by = "rialto"): string[] {
  return heard.flatMap(({ nick, text }) => (nick === by && text.startsWith(prefix) ? [text.slice(prefix.length)] : []));
}

/** `<prefix> <number>`, counted from 1. */
export function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix} ${at + 1}`);
}

/**
 * Which of the wanted are not there, which are there twice, and whether those that are there stand in the wanted order.
 */
export function compare(wanted: readonly string[], got: readonly string[]): Comparison {
  const places = new Map(wanted.map((text, at) => [text, at]));
  const seen = new Map<string, number>();
  for (const text of got) if (places.has(text)) seen.set(text, (seen.get(text) ?? 0) + 1);
  const order = got.flatMap((text) => places.get(text) ?? []);
  return {
    arrived: seen.size,
    missing: wanted.filter((text) => !seen.has(text)),
    doubled: [...seen].flatMap(([text, times]) => (times > 1 ? [text] : [])),
    inOrder: order.every((place, at) => at === 0 || place >= (order[at - 1] ?? 0)),
  };
}

export interface Comparison {
  /** Different texts. */
  readonly arrived: number;
  readonly missing: readonly string[];
  readonly doubled: readonly string[];
  readonly inOrder: boolean;
}

export interface Receipt {
  readonly lane: string;
  readonly state: string;
  readonly text: string;
  readonly detail: string;
}

/** The receipts of all lanes in the log of a program that has ended, with the text of the posting each is about. */
export async function receiptsIn(
  dataPath: string,
  from: { readonly api: string; readonly gateway: string },
): Promise<Receipt[]> {
  const log = await openSqliteLog({
    dataPath,
    durability: "process",
    retentionDays: 7,
    retentionBytes: 1024 ** 3,
    messageIdDays: 30,
  });
  try {
    const texts = new Map<number, string>();
    const subjects = [subjectOf(`api.${from.api}`, from.gateway)];
    for (let after = 0, more = true; more;) {
      const entries = await log.read({ subjects, after, limit: 1_000 });
      for (const { seq, payload } of entries) texts.set(seq, (JSON.parse(payload) as Message).text);
      after = entries.at(-1)?.seq ?? 0;
      more = entries.length > 0;
    }
    const found: Receipt[] = [];
    for (const mark of (await log.marks("lane/")).keys()) {
      const lane = mark.slice("lane/".length);
      for (const { seq, state, detail } of await log.receipts({ lane, after: 0, limit: 10_000 })) {
        found.push({ lane, state, text: texts.get(seq) ?? "", detail });
      }
    }
    return found;
  } finally {
    await log.close();
  }
}

/** Posts one after the other, so that the order of the texts is that of the log. */
export async function postAll(client: ApiClient, texts: readonly string[], username = "anna"): Promise<void> {
  for (const text of texts) await client.say({ text, username });
}

/**
 * How long a message takes from the post to a stream of another account, in ms: half and 99 of 100 take no longer than
 * this.
 */
export async function latency(
  from: ApiClient,
  stream: ApiStream,
  options: { readonly label: string; readonly count: number; readonly everyMs: number },
): Promise<{ readonly p50: number; readonly p99: number }> {
  const durations = new Durations();
  for (let at = 0; at < options.count; at += 1) {
    const text = `${options.label} ${at}`;
    const begin = performance.now();
    const arrives = (async () => {
      while ((await stream.next()).text !== text);
      durations.record(performance.now() - begin);
    })();
    await from.say({ text, username: "clock" });
    await arrives;
    await new Promise((resolve) => setTimeout(resolve, options.everyMs));
  }
  return durations.percentiles();
}
