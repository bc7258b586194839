import { deleteOf, doOp, editOf, postOf, reactOf } from "../../contract/ops.ts";
import type { Http, HttpAnswer, HttpRequest } from "../../../src/adapters/kit/http.ts";
import { isObject, type Json } from "../../../src/adapters/kit/json.ts";
import { TelegramApi } from "../../../src/adapters/telegram/api.ts";
import { TelegramSession } from "../../../src/adapters/telegram/live.ts";
import { TelegramPositions } from "../../../src/adapters/telegram/positions.ts";
import { telegramSettings } from "../../../src/adapters/telegram/settings.suite.ts";
import type { ChannelRef, Cursor, MessageRef } from "../../../src/contract/ids.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { text } from "../text.ts";
import { cross } from "./crossing.ts";
import { body, CHAT, happened, OWN, said, sound } from "./telegram-records.ts";

const NEVER = new AbortController().signal;
const GOOD = "a good message";
/** Longer than a poll, and than what waits for an album or a picture. */
const WHILE_MS = 60_000;
/** What a server may forbid, and until what is asked again by itself is asked. */
const BANS_MS = 90_000_000;
/** A server may take its time when there is nothing to tell. */
const IDLE_MS = 600_000;
const REFUSALS = [
  [400, "Bad Request: chat not found"],
  [400, "Bad Request: message is not modified"],
  [400, "Bad Request: message to delete not found"],
  [400, "Bad Request: message can't be deleted for everyone"],
  [400, "Bad Request: not enough rights to send text messages to the chat"],
  [400, "Bad Request: REACTION_INVALID"],
  [403, "Forbidden: bot was kicked from the supergroup chat"],
  [429, "Too Many Requests: retry after 3"],
  [500, "Internal Server Error"],
  [502, "Bad Gateway"],
] as const;
/** After these a session is over. */
const OVER = [401, 404] as const;

interface Waiting {
  readonly number: number;
  readonly what: Json;
}

const numbered = ({ number, what }: Waiting): Json => ({ update_id: number, ...what });

/** A server that the fuzzer is: while it is calm, it answers as it should. */
class Server {
  calm = true;
  /** It has said that there is nothing to ask any more, or was in trouble for too long. */
  refusesUs = false;
  readonly #random: Random;
  readonly #clock: FakeClock;
  #queue: Waiting[] = [];
  #next = 1_000;
  /** Answers the poll that waits. */
  #wake: () => void = () => undefined;

  constructor(random: Random, clock: FakeClock) {
    this.#random = random;
    this.#clock = clock;
  }

  close(): void {}

  tell(what: Json): void {
    this.#queue.push({ number: this.#next, what });
    this.#next += 1;
    this.#wake();
  }

  async request({ url, body: sent, signal }: HttpRequest): Promise<HttpAnswer> {
    if (sent !== null && typeof sent !== "string") await sent.stream.cancel();
    const method = url.pathname.split("/").at(-1) ?? "";
    if (method === "getUpdates") return await this.#updates(typeof sent === "string" ? sent : "{}", signal);
    const random = this.#random;
    if (this.calm) return answer(200, JSON.stringify({ ok: true, result: sound(method) }));
    if (random.chance(0.05)) return this.#broken();
    if (random.chance(0.15)) return this.#refused(random.pick(REFUSALS));
    const words = random.chance(0.05) ? "" : body(random, sound(method));
    return answer(random.chance(0.9) ? 200 : random.pick([201, 302, 400, 403, 404, 413, 429, 500, 502]), words);
  }

  /** Those from the offset on, which confirms all before; when there are none, in a while. */
  async #updates(asked: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { offset } = JSON.parse(asked) as { readonly offset?: number };
    const from = offset ?? 0;
    this.#queue = this.#queue.filter(({ number }) => number >= from);
    this.#next = Math.max(this.#next, Number.isSafeInteger(from) ? from : 0);
    if (this.#queue.length === 0) await this.#while(signal);
    if (signal.aborted) return this.#broken();
    const random = this.#random;
    const list = this.#queue.slice(0, 100).map((one) => numbered(one));
    if (this.calm) return answer(200, JSON.stringify({ ok: true, result: list }));
    if (random.chance(0.02)) return this.#over(this.#broken());
    if (random.chance(0.02)) return this.#over(this.#refused([random.pick(OVER), "Unauthorized"]));
    if (random.chance(0.1)) return this.#refused([random.pick([409, 429, 502]), "Conflict: terminated by other"]);
    return random.chance(0.9) ? answer(200, JSON.stringify({ ok: true, result: list })) : this.#strange(list);
  }

  #strange(list: readonly Json[]): HttpAnswer {
    const words = body(this.#random, list);
    return isList(words) ? answer(200, words) : this.#over(answer(200, words));
  }

  async #while(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#clock.after(IDLE_MS, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    cancel();
  }

  #over(given: HttpAnswer): HttpAnswer {
    this.refusesUs = true;
    return given;
  }

  #broken(): HttpAnswer {
    const why = this.#random.pick(["network", "timeout", "too_large"] as const);
    return { is: "failed", why, message: "it is gone", certain: this.#random.chance(0.5) };
  }

  #refused([code, description]: readonly [number, string]): HttpAnswer {
    const random = this.#random;
    const parameters = code === 429 ? { retry_after: random.pick([1, 3, 0, -1, 1e9, "x"]) } : undefined;
    return answer(code, JSON.stringify({ ok: false, error_code: code, description, parameters }));
  }
}

/** Whether these are updates, of whatever kind. */
function isList(words: string): boolean {
  try {
    const said: unknown = JSON.parse(words);
    return isObject(said) && said["ok"] === true && Array.isArray(said["result"]);
  } catch {
    return false;
  }
}

const answer = (status: number, words: string): HttpAnswer => ({ is: "answer", status, headers: {}, text: words });

interface Input {
  readonly updates: readonly Json[];
  readonly since: Cursor | null;
}

async function live(random: Random, { updates, since }: Input): Promise<void> {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const server = new Server(random, clock);
  const http = server as unknown as Http;
  const base = new URL("https://e.example");
  const api = new TelegramApi({ http, clock, base, token: "5000001:x", isHere: false });
  const session = new TelegramSession({
    settings: telegramSettings({ Token: "5000001:x", UseFullName: random.chance(0.3) }),
    host,
    api,
    poller: api,
    close: () => http.close(),
    me: { id: OWN, username: "rialto_bot", name: "rialto", readsAll: true },
    positions: new TelegramPositions(since),
    painters: { webp: null, tgs: null },
  });
  const state = { over: false };
  void session.ended.finally(() => (state.over = true));
  // Mostly we get in.
  server.calm = random.chance(0.7);
  const joins = [session.join({ name: String(CHAT), options: {} }, NEVER)];
  await clock.advance(random.pick([0, WHILE_MS]));
  server.calm = false;
  const asked = random.some(3, async () => await op(random, session));
  for (const one of updates) {
    server.tell(one);
    if (random.chance(0.1)) await clock.advance(1_000);
  }
  for (let turn = 0; turn < 3; turn += 1) await clock.advance(WHILE_MS);
  server.calm = true;
  await clock.advance(WHILE_MS);
  await Promise.all(asked);
  if (state.over && !server.refusesUs) throw new Error(`the session ended: ${JSON.stringify(await session.ended)}`);
  if (!state.over) {
    await clock.advance(BANS_MS);
    const joining = session.join({ name: String(CHAT), options: {} }, NEVER);
    joins.push(joining);
    await clock.advance(WHILE_MS);
    const joined = await joining;
    if (!joined.ok) throw new Error(`the chat cannot be joined again: ${joined.why.message}`);
    server.tell(said(1, GOOD));
    await clock.advance(WHILE_MS);
    const heard = host.posted.filter(({ body: words }) => words.source.text === GOOD).length;
    if (heard !== 1) throw new Error(`a good message is heard ${heard} times: ${JSON.stringify(host.losses)}`);
  }
  await session.close(NEVER);
  await Promise.all([...joins, session.ended]);
  for (const { fields, message } of host.records) {
    if (message.includes("bug")) throw new Error(`${message}: ${JSON.stringify(fields)}`);
  }
  await clock.advance(0);
  if (clock.waiting > 0) throw new Error(`${clock.waiting} timers are left behind`);
  cross(host.events);
}

/** What the core asks has to have an outcome. */
async function op(random: Random, session: TelegramSession): Promise<void> {
  const channel = String(CHAT) as ChannelRef;
  const target = random.pick([String(1 + random.int(40)), `${CHAT}/3`, "x", ""]) as MessageRef;
  const wanted = random.pick([
    () => postOf(channel, text(random)),
    () => editOf(channel, [target], text(random)),
    () => deleteOf(channel, [target]),
    () => reactOf(channel, target, "👍", random.pick([["👍"], []])),
  ]);
  await doOp(session, wanted());
}

function cursor(random: Random): Cursor | null {
  if (random.chance(0.3)) return null;
  if (random.chance(0.1)) return text(random, 3) as Cursor;
  const at = random.pick([999, 0, -1, 1e300, "x", null]);
  const moved = random.pick([{}, [], { "-100": CHAT }, { x: "y" }, [[CHAT, CHAT]]]);
  const rooms = random.pick([[String(CHAT)], [CHAT], [], "x", [5, null]]);
  return JSON.stringify({ at, next: random.pick([1_000, "x"]), moved, rooms }) as Cursor;
}

/** What Telegram tells and answers, through a whole session. */
export const telegram: Target = {
  name: "telegram",
  make: (random): Case => {
    const input = { updates: random.some(40, () => happened(random)), since: cursor(random) };
    return {
      show: () => [input.since, ...input.updates.map((one) => JSON.stringify(one))].join("\n"),
      run: async () => await live(random, input),
    };
  },
};
