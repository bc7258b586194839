import { deleteOf, doOp, editOf, postOf, reactOf } from "../../contract/ops.ts";
import { DiscordApi } from "../../../src/adapters/discord/api.ts";
import type { DiscordGateway } from "../../../src/adapters/discord/gateway.ts";
import { DiscordGuildState } from "../../../src/adapters/discord/guild.ts";
import { DiscordSession } from "../../../src/adapters/discord/live.ts";
import { DiscordPositions } from "../../../src/adapters/discord/positions.ts";
import { DiscordRest } from "../../../src/adapters/discord/rest.ts";
import type { DiscordResult } from "../../../src/adapters/discord/rest-result.ts";
import { discordSettings } from "../../../src/adapters/discord/settings.suite.ts";
import type { DiscordEvent } from "../../../src/adapters/discord/shard.ts";
import { ASKED } from "../../../src/adapters/kit/ends.ts";
import type { Http, HttpAnswer, HttpRequest } from "../../../src/adapters/kit/http.ts";
import { isObject, numberIn, objectIn, parsed, textIn } from "../../../src/adapters/kit/json.ts";
import type { ChannelRef, Cursor, MessageRef } from "../../../src/contract/ids.ts";
import type { Ended } from "../../../src/contract/session.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { text } from "../text.ts";
import { cross } from "./crossing.ts";
import { body, CHANNEL, GUILD, guild, idAt, messages, OWN, payload, said, sound } from "./discord-records.ts";

const NEVER = new AbortController().signal;
const GOOD = "a good message";
/** Longer than a request waits for a limit, and as long as what is asked again by itself. */
const WHILE_MS = 20_000;
/** The number of the last strange event. */
const SEQ_MAX = 2 ** 52;
/** What a server may forbid, and what we forbid ourselves after many refusals. */
const BANS_MS = 4_000_000;

/** A server that the fuzzer is: while it is calm, it answers as it should. */
class Server {
  calm = true;
  /** It has said that the login is over. */
  refusesUs = false;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  close(): void {}

  async request({ method, url, headers, body: sent }: HttpRequest): Promise<HttpAnswer> {
    if (sent !== null && typeof sent !== "string") await sent.stream.cancel();
    const random = this.#random;
    const ask = `${method} ${url.pathname.replace("/api/v10", "")}`;
    if (this.calm) return answer(200, JSON.stringify(sound(ask)));
    if (random.chance(0.05)) {
      const why = random.pick(["network", "timeout", "too_large"] as const);
      return { is: "failed", why, message: "it is gone", certain: random.chance(0.5) };
    }
    const isMessages = method === "GET" && ask.endsWith("/messages");
    const words = body(random, isMessages ? messages(random) : sound(ask));
    if (random.chance(0.85)) return answer(200, random.chance(0.1) ? "" : words, limits(random));
    const status = random.pick([201, 204, 302, 400, 401, 403, 404, 413, 429, 500, 502, 504]);
    if (status === 401 && headers["Authorization"] !== undefined) this.refusesUs = true;
    return answer(status, random.chance(0.5) ? words : refusal(random), limits(random));
  }
}

const answer = (status: number, words: string, headers: Record<string, string> = {}): HttpAnswer => ({
  is: "answer",
  status,
  headers,
  text: words,
});

function refusal(random: Random): string {
  const code = random.pick([0, 10003, 10008, 10015, 20016, 30007, 40005, 50001, 50013, 50035, 50083, "x", 1e300]);
  const retry = random.pick([0, 1, 0.3, -1, 1e300, "x", null]);
  return body(random, { message: text(random, 3), code, retry_after: retry, global: random.chance(0.3) });
}

function limits(random: Random): Record<string, string> {
  const time = (): string => random.pick(["1", "0", "-1", "1e9", "x", "999999999", "0.25"]);
  return {
    ...(random.chance(0.2) && { "retry-after": time() }),
    ...(random.chance(0.2) && {
      "x-ratelimit-remaining": random.pick(["0", "1", "x"]),
      "x-ratelimit-reset-after": time(),
    }),
    ...(random.chance(0.1) && { "x-ratelimit-scope": random.pick(["user", "shared", "global", "x"]) }),
  };
}

/** The gateway, whose other end the fuzzer is. */
class Wire {
  readonly #end = Promise.withResolvers<Ended>();
  readonly ended = this.#end.promise;
  #onEvent: (event: DiscordEvent) => void = () => undefined;

  listen(onEvent: (event: DiscordEvent) => void): void {
    this.#onEvent = onEvent;
  }

  /** As the adapter's own reader of payloads hands them on. */
  say(words: string): void {
    const read = parsed(words);
    if (!isObject(read)) return;
    const [type, seq] = [textIn(read, "t"), numberIn(read, "s")];
    if (type === null || seq === null || !Number.isInteger(seq) || seq < 0 || seq > SEQ_MAX + 2) return;
    const behind = { session: "s1", url: "wss://gateway.example", seq };
    this.#onEvent({ type, data: objectIn(read, "d"), seq, behind });
  }

  pause(): void {}

  async resume(): Promise<void> {
    await Promise.resolve();
  }

  async close(): Promise<void> {
    this.end();
    await Promise.resolve();
  }

  end(): void {
    this.#end.resolve(ASKED);
  }
}

interface Input {
  readonly frames: readonly string[];
  readonly since: Cursor | null;
}

interface Stage {
  readonly clock: FakeClock;
  readonly host: RecordingHost;
  readonly server: Server;
  readonly wire: Wire;
  readonly session: DiscordSession;
}

/** A session of a guild that is as it should be. */
async function stage(random: Random, since: Cursor | null): Promise<Stage> {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const server = new Server(random);
  const http = server as unknown as Http;
  const rest = new DiscordRest({
    http,
    clock,
    log: host.log,
    degraded: () => undefined,
    base: "https://e.example/api",
    version: "10",
    token: "t0ken",
  });
  const api = new DiscordApi(rest, http);
  const [me, found, channels, self] = await Promise.all([
    api.me(NEVER),
    api.guild(GUILD, NEVER),
    api.channels(GUILD, NEVER),
    api.self(GUILD, OWN, NEVER),
  ]);
  const wire = new Wire();
  const session = new DiscordSession({
    settings: discordSettings({ Token: "t0ken", Server: "Crew", ShowEmbeds: random.chance(0.3) }),
    host,
    http,
    rest,
    api,
    me: valueOf(me),
    application: OWN,
    state: new DiscordGuildState({
      guild: valueOf(found),
      channels: valueOf(channels),
      threads: [],
      self: valueOf(self),
      clock,
    }),
    gateway: wire as unknown as DiscordGateway,
    resumed: random.chance(0.5),
    positions: new DiscordPositions(since),
    hearsOfMembers: random.chance(0.7),
  });
  return { clock, host, server, wire, session };
}

function valueOf<T>(result: DiscordResult<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

async function live(random: Random, { frames, since }: Input): Promise<void> {
  const { clock, host, server, wire, session } = await stage(random, since);
  const state = { over: false };
  void session.ended.finally(() => (state.over = true));
  // Mostly we get in.
  server.calm = random.chance(0.7);
  const joins = [session.join({ name: "town", options: {} }, NEVER)];
  await clock.advance(random.pick([0, WHILE_MS]));
  server.calm = false;
  const asked = random.some(3, async () => await op(random, session));
  for (const frame of frames) {
    wire.say(frame);
    if (random.chance(0.1)) await clock.advance(1_000);
  }
  for (let turn = 0; turn < 3; turn += 1) await clock.advance(WHILE_MS);
  server.calm = true;
  await clock.advance(BANS_MS);
  await Promise.all(asked);
  const ends = server.refusesUs || frames.some((frame) => frame.includes("GUILD_DELETE"));
  if (state.over && !ends) throw new Error(`the session ended: ${JSON.stringify(await session.ended)}`);
  if (!state.over) await mend({ clock, host, server, wire, session }, joins);
  await session.close(NEVER);
  await Promise.all([...joins, session.ended]);
  for (const { fields, message } of host.records) {
    if (message.includes("bug")) throw new Error(`${message}: ${JSON.stringify(fields)}`);
  }
  if (clock.waiting > 0) throw new Error(`${clock.waiting} timers are left behind`);
  cross(host.events);
}

/** The guild is as it was before, and somebody says something. */
async function mend({ clock, host, wire, session }: Stage, joins: Promise<unknown>[]): Promise<void> {
  wire.say(JSON.stringify({ op: 0, t: "GUILD_CREATE", s: SEQ_MAX + 1, d: guild }));
  const joining = session.join({ name: "town", options: {} }, NEVER);
  joins.push(joining);
  await clock.advance(BANS_MS);
  const joined = await joining;
  if (!joined.ok) throw new Error(`the channel cannot be joined again: ${joined.why.message}`);
  wire.say(JSON.stringify({ op: 0, t: "MESSAGE_CREATE", s: SEQ_MAX + 2, d: said(idAt(1_000_000), GOOD) }));
  await clock.advance(WHILE_MS);
  const heard = host.posted.filter(({ body: words }) => words.source.text === GOOD).length;
  if (heard !== 1) throw new Error(`a good message is heard ${heard} times: ${JSON.stringify(host.losses)}`);
}

/** What the core asks has to have an outcome. */
async function op(random: Random, session: DiscordSession): Promise<void> {
  const channel = CHANNEL as ChannelRef;
  const target = random.pick([idAt(random.int(40)), `${idAt(1)}/${idAt(random.int(40))}`, "x", ""]) as MessageRef;
  const wanted = random.pick([
    () => postOf(channel, text(random)),
    () => postOf(channel, text(random), { thread: target }),
    () => editOf(channel, [target], text(random)),
    () => deleteOf(channel, [target]),
    () => reactOf(channel, target, "👍", random.pick([["👍"], []])),
  ]);
  await doOp(session, wanted());
}

function cursor(random: Random): Cursor | null {
  if (random.chance(0.3)) return null;
  if (random.chance(0.1)) return text(random, 3) as Cursor;
  const at = random.pick([idAt(1), "0", "", "-1", "x", null, 5]);
  const floor = random.pick([idAt(0), "", "x", null]);
  const channels = { [CHANNEL]: random.pick([[floor], [floor, idAt(0)], [floor, "x"], "x", []]) };
  const seq = random.pick([5, 0, 1e15, -1, "x"]);
  const doing = [{ op: "op 1", upTo: "end", channel: CHANNEL, floor }, ["op 2", "1", CHANNEL, floor], "x"];
  return JSON.stringify({ at, session: "s1", url: "wss://gateway.example", seq, channels, doing }) as Cursor;
}

/** Events and answers of Discord, through a whole session. */
export const discord: Target = {
  name: "discord",
  make: (random): Case => {
    const input = { frames: random.some(40, () => payload(random)), since: cursor(random) };
    return {
      show: () => [input.since, ...input.frames].join("\n"),
      run: async () => await live(random, input),
    };
  },
};
