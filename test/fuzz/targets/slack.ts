import type { Http, HttpAnswer, HttpRequest } from "../../../src/adapters/kit/http.ts";
import { ASKED } from "../../../src/adapters/kit/ends.ts";
import type { ClientSocket, SocketEnd } from "../../../src/adapters/kit/web-socket.ts";
import { deleteOf, doOp, editOf, postOf, reactOf } from "../../contract/ops.ts";
import { SlackApi } from "../../../src/adapters/slack/api.ts";
import { type SlackEvent, SlackEnvelopes } from "../../../src/adapters/slack/envelopes.ts";
import { SlackSession } from "../../../src/adapters/slack/live.ts";
import type { SlackIdentity } from "../../../src/adapters/slack/login.ts";
import { slackSettings } from "../../../src/adapters/slack/settings.suite.ts";
import { SlackSocket } from "../../../src/adapters/slack/socket.ts";
import type { SlackEvents } from "../../../src/adapters/slack/socket-mode.ts";
import { SlackWeb } from "../../../src/adapters/slack/web.ts";
import type { ChannelRef, Cursor, MessageRef } from "../../../src/contract/ids.ts";
import type { Ended } from "../../../src/contract/session.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { text } from "../text.ts";
import { cross } from "./crossing.ts";
import {
  body,
  CHANNEL,
  envelope,
  frame,
  messages,
  OWN,
  OWN_APP,
  OWN_BOT,
  said,
  sound,
  TEAM,
  tsOf,
} from "./slack-records.ts";

const NEVER = new AbortController().signal;
const GOOD = "a good message";
/** Longer than most requests wait for a limit. */
const WHILE_MS = 20_000;
/** What a server may forbid, and until what is asked again by itself is asked. */
const BANS_MS = 4_000_000;
const REFUSALS =
  "not_in_channel channel_not_found is_archived missing_scope ratelimited fatal_error internal_error msg_too_long message_not_found thread_not_found already_reacted no_reaction invalid_name invalid_blocks user_not_found cant_update_message restricted_action".split(
    " ",
  );

const ME: SlackIdentity = {
  userId: OWN,
  botId: OWN_BOT,
  appId: OWN_APP,
  teamId: TEAM,
  name: "rialto",
  teamUrl: "https://crew.slack.com/",
  scopes: { has: () => true },
};

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

  async request({ url, body: sent }: HttpRequest): Promise<HttpAnswer> {
    if (sent !== null && typeof sent !== "string") await sent.stream.cancel();
    const random = this.#random;
    const method = url.pathname.replace("/api/", "");
    if (this.calm) return answer(200, JSON.stringify(sound(method)));
    if (random.chance(0.05)) {
      const why = random.pick(["network", "timeout", "too_large"] as const);
      return { is: "failed", why, message: "it is gone", certain: random.chance(0.5) };
    }
    if (random.chance(0.15)) return answer(200, this.#refusal());
    const isMessages = /^conversations\.(?:history|replies)$/u.test(method);
    const words = body(random, isMessages ? messages(random) : sound(method));
    if (random.chance(0.85)) return answer(200, random.chance(0.1) ? "" : words);
    return answer(random.pick([201, 204, 302, 400, 401, 403, 404, 429, 429, 500, 502, 504]), words, {
      ...(random.chance(0.7) && { "retry-after": random.pick(["1", "0", "-1", "1e9", "x", "999999999", "30"]) }),
    });
  }

  #refusal(): string {
    const random = this.#random;
    if (random.chance(0.02)) this.refusesUs = true;
    const error = this.refusesUs ? "token_revoked" : random.pick(REFUSALS);
    return JSON.stringify({
      ok: false,
      error,
      needed: random.pick(["channels:history", 5, undefined]),
      response_metadata: { messages: [text(random, 3)] },
    });
  }
}

const answer = (status: number, words: string, headers: Record<string, string> = {}): HttpAnswer => ({
  is: "answer",
  status,
  headers: { ...headers, date: "Thu, 01 Jan 2026 00:01:00 GMT" },
  text: words,
});

/** The connections, whose other end the fuzzer is: what it says goes through the adapter's own readers. */
class Wire {
  onGap: () => void = () => undefined;
  readonly #end = Promise.withResolvers<Ended>();
  readonly ended = this.#end.promise;
  readonly acknowledged: string[] = [];
  readonly order: SlackEvents["order"];
  readonly #socket: SlackSocket;
  #onEvent: (event: SlackEvent) => void = () => undefined;

  constructor(clock: FakeClock, order: SlackEvents["order"]) {
    this.order = order;
    const envelopes = new SlackEnvelopes({
      onEvent: (event) => this.#onEvent(event),
      onLeftOut: () => this.onGap(),
    });
    this.#socket = new SlackSocket({
      clock,
      url: new URL("wss://e.example"),
      signal: NEVER,
      onEnvelope: (one, socket) => envelopes.take(one, socket),
      onDisconnect: () => undefined,
      onDoubt: () => undefined,
    });
    const raw = {
      ended: new Promise<SocketEnd>(() => undefined),
      send: (words: string) => this.acknowledged.push(words) > 0,
      ping: () => this.#socket.heard(),
      end: () => undefined,
      close: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    };
    void this.#socket.greeted(raw as unknown as ClientSocket, NEVER);
    this.say(JSON.stringify({ type: "hello" }));
  }

  listen(onEvent: (event: SlackEvent) => void): void {
    this.#onEvent = onEvent;
  }

  say(words: string): void {
    this.#socket.take(words);
  }

  pause(): void {}

  close(): void {
    this.#socket.close();
    this.#end.resolve(ASKED);
  }

  end(): void {
    this.close();
  }
}

interface Input {
  readonly frames: readonly string[];
  readonly since: Cursor | null;
}

async function live(random: Random, { frames, since }: Input): Promise<void> {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const server = new Server(random);
  const http = server as unknown as Http;
  const base = new URL("https://e.example/api/");
  const web = new SlackWeb({ http, clock, base, token: "xoxb-1", scopesAt: "there" });
  const wire = new Wire(clock, random.pick(["sure", "sure", "mixed", "late"]));
  await clock.advance(0);
  const session = new SlackSession({
    settings: slackSettings({ Token: "xoxb-1", AppToken: "xapp-1", UseFullName: random.chance(0.3) }),
    host,
    http,
    api: new SlackApi(web, { http, base, token: "xoxb-1" }),
    me: ME,
    events: wire as unknown as SlackEvents,
    since,
  });
  const state = { over: false };
  void session.ended.finally(() => (state.over = true));
  // Mostly we get in.
  server.calm = random.chance(0.7);
  const joins = [session.join({ name: "town", options: {} }, NEVER)];
  await clock.advance(random.pick([0, WHILE_MS]));
  server.calm = false;
  const asked = random.some(3, async () => await op(random, session));
  for (const one of frames) {
    wire.say(one);
    if (random.chance(0.1)) await clock.advance(1_000);
  }
  for (let turn = 0; turn < 3; turn += 1) await clock.advance(WHILE_MS);
  server.calm = true;
  await clock.advance(BANS_MS);
  await Promise.all(asked);
  if (state.over && !server.refusesUs) throw new Error(`the session ended: ${JSON.stringify(await session.ended)}`);
  if (!state.over) {
    const joining = session.join({ name: "town", options: {} }, NEVER);
    joins.push(joining);
    await clock.advance(BANS_MS);
    const joined = await joining;
    if (!joined.ok) throw new Error(`the channel cannot be joined again: ${joined.why.message}`);
    wire.say(JSON.stringify(envelope("Ev good", said(tsOf(1_000_000), GOOD))));
    await clock.advance(WHILE_MS);
    const heard = host.posted.filter(({ body: words }) => words.source.text === GOOD).length;
    if (heard !== 1) throw new Error(`a good message is heard ${heard} times: ${JSON.stringify(host.losses)}`);
    if (!wire.acknowledged.some((words) => words.includes("Ev good"))) throw new Error("it is not acknowledged");
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
async function op(random: Random, session: SlackSession): Promise<void> {
  const channel = CHANNEL as ChannelRef;
  const target = random.pick([tsOf(random.int(40)), "x", ""]) as MessageRef;
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
  const at = random.pick([tsOf(1), "0.000000", "", "-1", "x", null, 5]);
  const floor = random.pick([tsOf(0), "", "x", null]);
  const channels = { [CHANNEL]: random.pick([[floor], [floor, tsOf(0)], [floor, "x"], "x", []]) };
  return JSON.stringify({ at, channels, recent: random.pick([{}, [], "x"]) }) as Cursor;
}

/** Events and answers of Slack, through a whole session. */
export const slack: Target = {
  name: "slack",
  make: (random): Case => {
    const input = { frames: random.some(40, () => frame(random)), since: cursor(random) };
    return {
      show: () => [input.since, ...input.frames].join("\n"),
      run: async () => await live(random, input),
    };
  },
};
