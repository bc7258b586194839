import { deleteOf, doOp, editOf, postOf, reactOf } from "../../contract/ops.ts";
import type { Http, HttpAnswer, HttpRequest } from "../../../src/adapters/kit/http.ts";
import { Rest } from "../../../src/adapters/kit/rest.ts";
import type { ClientSocket, SocketEnd } from "../../../src/adapters/kit/web-socket.ts";
import { MattermostApi } from "../../../src/adapters/mattermost/api.ts";
import { MattermostSession } from "../../../src/adapters/mattermost/live.ts";
import { dialect } from "../../../src/adapters/mattermost/login.ts";
import { limitsIn } from "../../../src/adapters/mattermost/model.ts";
import { MattermostPositions } from "../../../src/adapters/mattermost/positions.ts";
import { mattermostSettings } from "../../../src/adapters/mattermost/settings.suite.ts";
import { EventStream } from "../../../src/adapters/mattermost/stream.ts";
import type { ChannelRef, Cursor, MessageRef } from "../../../src/contract/ids.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { text } from "../text.ts";
import { cross } from "./crossing.ts";
import { body, CHANNEL, changed, config, ME, posts, record, sound, TEAM } from "./mattermost-records.ts";

const NEVER = new AbortController().signal;
const GOOD = "a good message";
/** Long enough for requests that wait, and shorter than a silence that ends the session. */
const WHILE_MS = 20_000;

/** A server that the fuzzer is: while it is calm, it answers as it should. */
class Server {
  calm = false;
  /** It has said that the login is over. */
  refusesUs = false;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  close(): void {}

  async request({ method, url, body: sent }: HttpRequest): Promise<HttpAnswer> {
    if (sent !== null && typeof sent !== "string") await sent.stream.cancel();
    const random = this.#random;
    const path = url.pathname.replace("/api/v4", "");
    const ask = `${method} ${path}`;
    if (this.calm) return answer(200, JSON.stringify(sound(ask)));
    if (random.chance(0.05)) {
      const why = random.pick(["network", "timeout", "too_large"] as const);
      return { is: "failed", why, message: "it is gone", certain: random.chance(0.5) };
    }
    const isPosts = path.endsWith("/posts") && method === "GET";
    const said = body(random, isPosts ? posts(random) : sound(ask));
    const status = random.chance(0.85)
      ? 200
      : random.pick([201, 204, 302, 400, 401, 403, 404, 413, 429, 500, 502, 504]);
    if (status === 401) this.refusesUs = true;
    return answer(status, random.chance(0.1) ? "" : said, waits(random));
  }
}

const answer = (status: number, said: string, headers: Record<string, string> = {}): HttpAnswer => ({
  is: "answer",
  status,
  headers,
  text: said,
});

function waits(random: Random): Record<string, string> {
  const time = (): string => random.pick(["1", "0", "-1", "1e9", "x", "999999999", "Thu, 01 Jan 1970 00:00:00 GMT"]);
  return {
    ...(random.chance(0.3) && { "retry-after": time() }),
    ...(random.chance(0.3) && { "x-ratelimit-reset": time() }),
  };
}

/** A socket whose other end the fuzzer is: it answers every question. */
class Wire {
  readonly #end = Promise.withResolvers<SocketEnd>();
  readonly ended = this.#end.promise;
  onAsked: () => void = () => undefined;

  send(): boolean {
    queueMicrotask(() => this.onAsked());
    return true;
  }

  ping(): void {}
  pause(): void {}
  resume(): void {}

  close(): void {
    this.end("it was closed");
  }

  end(error: string): void {
    this.#end.resolve({ code: 1006, reason: "", error });
  }
}

interface Input {
  readonly early: readonly string[];
  readonly frames: readonly string[];
  readonly since: Cursor | null;
}

async function live(random: Random, { early, frames, since }: Input): Promise<void> {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const server = new Server(random);
  const http = server as unknown as Http;
  const api = new MattermostApi(
    new Rest({
      http,
      clock,
      base: new URL("https://e.example"),
      who: "Mattermost",
      scheme: "Bearer",
      dialect,
      limit: "call",
    }),
  );
  const positions = new MattermostPositions(since, "token");
  const stream = new EventStream(positions.stream);
  const wire = new Wire();
  wire.onAsked = () => {
    stream.onHeard();
    stream.take(JSON.stringify({ status: "OK", data: { text: "pong", server_time: 1 }, seq_reply: 1 }));
  };
  stream.attach(wire as unknown as ClientSocket);
  for (const frame of early) stream.take(frame);
  const session = new MattermostSession({
    settings: mattermostSettings({ Server: "e.example", Team: "team", Token: "t", UseUserName: random.chance(0.2) }),
    host,
    http,
    api,
    me: ME,
    limits: limitsIn(config(random)),
    team: { id: TEAM, name: "team" },
    stream,
    resumed: stream.resumed,
    positions,
  });
  const state = { over: false };
  void session.ended.finally(() => (state.over = true));
  // Mostly we get in.
  server.calm = random.chance(0.7);
  const joins = [session.join({ name: "town", options: {} }, NEVER)];
  await clock.advance(random.pick([0, WHILE_MS]));
  server.calm = false;
  const asked = random.some(3, async () => await op(random, session));
  for (const frame of frames) {
    stream.take(frame);
    if (random.chance(0.1)) await clock.advance(1_000);
  }
  for (let turn = 0; turn < 3; turn += 1) await clock.advance(WHILE_MS);
  await Promise.all(asked);
  server.calm = true;
  for (let turn = 0; turn < 3; turn += 1) await clock.advance(WHILE_MS);
  const ends = server.refusesUs || /401|leave_team|delete_team/u.test([...early, ...frames].join());
  if (state.over && !ends) throw new Error(`the session ended: ${JSON.stringify(await session.ended)}`);
  if (!state.over) {
    joins.push(session.join({ name: "town", options: {} }, NEVER));
    await clock.advance(WHILE_MS);
    stream.take(JSON.stringify({ event: "posted", ...record("good", GOOD), seq: random.int(50) }));
    await clock.advance(WHILE_MS);
    const heard = host.posted.filter(({ body: said }) => said.source.text === GOOD).length;
    if (heard !== 1) throw new Error(`a good message is heard ${heard} times: ${JSON.stringify(host.losses)}`);
  }
  await session.close(NEVER);
  await Promise.all([...joins, session.ended]);
  for (const { fields, message } of host.records) {
    if (message.includes("bug")) throw new Error(`${message}: ${JSON.stringify(fields)}`);
  }
  if (clock.waiting > 0) throw new Error(`${clock.waiting} timers are left behind`);
  cross(host.events);
}

/** What the core asks has to have an outcome. */
async function op(random: Random, session: MattermostSession): Promise<void> {
  const channel = CHANNEL as ChannelRef;
  const target = `p${random.int(40)}` as MessageRef;
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
  const at = random.pick([1767225600000, 0, -1, 1e300, "x", null]);
  const channels = { [CHANNEL]: random.pick([[0], [0, 1], [1767225600000, null], "x", []]) };
  return JSON.stringify({ at, connection: "c1", next: random.pick([5, 0, 1e15]), channels }) as Cursor;
}

/** Events and answers of a Mattermost server, through a whole session. */
export const mattermost: Target = {
  name: "mattermost",
  make: (random): Case => {
    const input = {
      early: random.some(3, () => changed(random)),
      frames: random.some(40, () => changed(random)),
      since: cursor(random),
    };
    return {
      show: () => [input.since, ...input.early, "-- joined --", ...input.frames].join("\n"),
      run: async () => await live(random, input),
    };
  },
};
