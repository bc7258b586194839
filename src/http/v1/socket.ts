import { createHash, randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { Scope } from "../../access/access.ts";
import type { Consumer } from "../../consumers/consumers.ts";
import { faultOf } from "../../lib/fault.ts";
import { onAbort } from "../../lib/abort.ts";
import { isUnknown } from "../../log/unknown-outcome.ts";
import { problemOf, problemText } from "./answers.ts";
import { ackedView, ackOf, isAckBody } from "./consumer-shapes.ts";
import type { V1Deps } from "./deps.ts";
import { checkRight } from "./doorman.ts";
import { type FieldError, ProblemError } from "./problems.ts";
import { positionOf, readableFilter } from "./reading.ts";
import type { Reply } from "./route.ts";
import type { ServeSocket, SocketCaller } from "./router.ts";
import { typesOf } from "../../consumers/filter.ts";
import { hintFor } from "./hint-view.ts";
import { receiptFor, receiptWatch } from "./receipt-watch.ts";
import { post, type Posting } from "./saying/post.ts";
import { ActorSchema, isNewMessage, NewMessageSchema } from "./saying/shapes.ts";
import { typing } from "./routes/typing.ts";
import { checked, type ClientFrame, frameOf, idOf, type SocketOp, parseFrame } from "./socket-frames.ts";
import { BROKEN, type SocketOut, Subscription } from "./socket-subscription.ts";

/** How often a sign of life is sent, and one is expected. */
const HEARTBEAT_MS = 30_000;
/** A client that takes nothing of what it was sent for so long is cut. */
const STALL_MS = 60_000;
/** With more than this unsent no events are sent, and with so much nothing more is read. */
const UNSENT_MAX = 64 * 1024;
const UNSENT_READ_MAX = 1024 * 1024;
/** Frames under way; no more is read meanwhile. */
const UNDER_WAY_MAX = 256;
const SUBSCRIPTIONS_MAX = 100;
/** For the goodbye. */
const CLOSE_MS = 2_000;
/** RFC 6455 §7.4.1: going away; a policy of ours; and something that was not expected. */
const GOING_AWAY = 1001;
const POLICY = 1008;
const FAILED = 1011;

/** Serves `/v1/socket`: events by credit, acks and posts, each request with an `id` answered under it. */
export const serveSocket: ServeSocket = (socket, caller, deps) => void new SocketSession(socket, caller, deps);

const SCOPES: Readonly<Record<SocketOp, Scope | "any">> = {
  subscribe: "read",
  unsubscribe: "any",
  credit: "any",
  ack: "read",
  post: "write",
  typing: "write",
  heartbeat: "any",
};

/** Codes with which a client closes: normal, going away, and none given (RFC 6455 §7.4.1). */
const CLEAN: ReadonlySet<number> = new Set([1000, 1001, 1005]);

/** `result` as JSON; null: it was answered already. */
type Result = string | null;

class SocketSession implements SocketOut {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #caller: SocketCaller;
  readonly #deps: V1Deps;
  readonly #closed = new AbortController();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #instance = randomUUID();
  #drained = Promise.withResolvers<void>();
  #underWay = 0;
  #alive = true;
  /** It is not known whether something is stored that came over it. */
  #isDoubtful = false;
  #beaten: { taken: number; movedMs: number };
  #cancelBeat: () => void;

  constructor(socket: WebSocket, caller: SocketCaller, deps: V1Deps) {
    const { wire, signal } = caller;
    this.#socket = socket;
    this.#wire = wire;
    this.#caller = caller;
    this.#deps = deps;
    this.#beaten = { taken: 0, movedMs: deps.clock.monoMs() };
    this.#cancelBeat = deps.clock.after(HEARTBEAT_MS, () => this.#beat());
    // Without a listener a protocol error of the peer would be an uncaught exception; the close that follows cleans up.
    socket.on("error", () => undefined);
    socket.on("pong", () => (this.#alive = true));
    socket.on("message", (data, isBinary) => void this.#take(data, isBinary));
    const drain = (): void => this.#wake();
    wire.on("drain", drain);
    const forget = onAbort(signal, () => this.#end());
    socket.once("close", (code) => {
      forget();
      wire.off("drain", drain);
      this.#cancelBeat();
      this.#closed.abort(CLEAN.has(code) ? undefined : BROKEN);
      this.#wake();
    });
    const head = String(deps.feed.head);
    this.send(JSON.stringify({ op: "hello", heartbeat: HEARTBEAT_MS, account: deps.account().name, head }));
  }

  get isFull(): boolean {
    return this.#wire.writableLength > UNSENT_MAX;
  }

  async drained(): Promise<void> {
    while (this.isFull && !this.#closed.signal.aborted) await this.#drained.promise;
  }

  send(...frames: readonly string[]): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#wire.cork();
    for (const frame of frames) this.#socket.send(frame, { binary: false });
    this.#wire.uncork();
  }

  async #take(data: RawData, isBinary: boolean): Promise<void> {
    if (this.#isDoubtful) return;
    this.#underWay += 1;
    this.#pace();
    const value = isBinary ? undefined : parseFrame(textOf(data));
    const id = idOf(value);
    try {
      if (isBinary) throw new ProblemError("bad_request", "binary frames are not read: send text frames of JSON");
      const frame = frameOf(value);
      checkRight(this.#caller.access, SCOPES[frame.op]);
      const result = await this.#do(frame);
      if (id !== null && result !== null) this.#ok(id, result);
    } catch (error) {
      this.#refuse(id, error);
    }
    this.#underWay -= 1;
    this.#pace();
  }

  /** Reads no further while much is under way, or while the client takes none of its answers. */
  #pace(): void {
    const isTooMuch = this.#underWay >= UNDER_WAY_MAX || this.#wire.writableLength > UNSENT_READ_MAX;
    if (isTooMuch && !this.#socket.isPaused) this.#socket.pause();
    else if (!isTooMuch && this.#socket.isPaused) this.#socket.resume();
  }

  async #do(frame: ClientFrame): Promise<Result> {
    const { op, id, gateway = "", fields } = frame;
    switch (op) {
      case "subscribe":
        this.#caller.read(1);
        return await this.#subscribe(frame, id ?? "");
      case "unsubscribe":
        this.#named(id).end();
        this.#subscriptions.delete(id ?? "");
        return NOTHING;
      case "credit":
        this.#named(id).give(frame.credit ?? 0);
        return NOTHING;
      case "ack":
        this.#caller.read(1);
        return await this.#ack(frame);
      case "heartbeat":
        this.#alive = true;
        return NOTHING;
      case "post":
        return await this.#post(frame);
      case "typing": {
        this.#caller.count();
        checked(ActorSchema, fields, "the frame `typing` is not as described");
        return resultOf(typing({ access: this.#caller.access, params: { gateway }, body: fields }, this.#deps));
      }
    }
  }

  async #subscribe(frame: ClientFrame, id: string): Promise<Result> {
    const { consumer: name, filter: asked, after, credit = 0 } = frame;
    if (name !== undefined && (asked !== undefined || after !== undefined)) {
      throw new ProblemError("bad_request", "a subscription has either a `consumer`, or a `filter` and `after`");
    }
    if (this.#subscriptions.has(id))
      throw new ProblemError("unprocessable", "there is a subscription with this `id`: end it first, or take another");
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX)
      throw new ProblemError("unprocessable", `one socket has ${SUBSCRIPTIONS_MAX} subscriptions at most`);
    const { access } = this.#caller;
    const { feed, hints, consumers } = this.#deps;
    const subscription = new Subscription(id, credit, this, this.#closed.signal);
    // At once: the next frame may be about it, while this one waits.
    this.#subscriptions.set(id, subscription);
    try {
      if (name !== undefined) {
        const find = async (): Promise<Consumer> => await consumers.get(name, access);
        const consumer = await find();
        this.#ok(id, NOTHING);
        this.#run(id, subscription, subscription.consume(consumer, find));
        return null;
      }
      const filter = readableFilter(asked ?? {}, { access, pointer: "/filter" }, this.#deps);
      const from = after === undefined ? feed.head : positionOf(after, feed.head);
      this.#ok(id, JSON.stringify({ after: String(from) }));
      onAbort(
        subscription.ended,
        hints.listen((hint) => subscription.aside(hintFor(hint, filter))),
      );
      if (typesOf(filter.types)("receipt.changed")) {
        const watch = receiptWatch(this.#deps);
        onAbort(
          subscription.ended,
          watch.listen((event) => subscription.aside(receiptFor(event, filter))),
        );
      }
      this.#run(id, subscription, subscription.follow(feed, filter, from));
      return null;
    } catch (error) {
      this.#forget(id, subscription);
      throw error;
    }
  }

  /** What ends it is told under its id; the client subscribes again. */
  #run(id: string, subscription: Subscription, running: Promise<void>): void {
    running.then(
      () => this.#forget(id, subscription),
      (error: unknown) => {
        this.#forget(id, subscription);
        this.#refuse(id, error);
      },
    );
  }

  #forget(id: string, subscription: Subscription): void {
    subscription.end();
    if (this.#subscriptions.get(id) === subscription) this.#subscriptions.delete(id);
  }

  #named(id: string | null): Subscription {
    const found = this.#subscriptions.get(id ?? "");
    if (found === undefined) throw new ProblemError("not_found", "there is no subscription with this `id`");
    return found;
  }

  async #ack({ consumer: name = "", fields }: ClientFrame): Promise<Result> {
    const consumer = await this.#deps.consumers.get(name, this.#caller.access);
    const errors: FieldError[] = [];
    const request = ackOf(isAckBody(fields) ? fields : {}, (flaw) => errors.push(flaw));
    if (errors.length > 0) throw new ProblemError("bad_request", "the frame `ack` is not as described", { errors });
    return JSON.stringify(ackedView(await consumer.ack(request)));
  }

  async #post(frame: ClientFrame): Promise<Result> {
    const { gateway = "", fields } = frame;
    this.#caller.count();
    checked(NewMessageSchema, fields, "the frame `post` is not as described");
    if (!isNewMessage(fields)) throw new ProblemError("bad_request", "the frame `post` is not as described");
    return resultOf(await post({ gateway, fields, access: this.#caller.access, once: onceOf(frame) }, this.#deps));
  }

  #ok(id: string, result: string): void {
    this.send(`{"op":"ok","id":${JSON.stringify(id)},"result":${result}}`);
  }

  #refuse(id: string | null, error: unknown): void {
    // No answer would be true: the client connects again, and posts again with its keys.
    if (isUnknown(error)) {
      // All frames of one commit come here.
      if (this.#isDoubtful) return;
      this.#isDoubtful = true;
      return this.#close(FAILED, "it is not known whether the last frames were stored");
    }
    const problem = problemOf(error);
    const { logger } = this.#deps;
    if (problem.code === "internal") {
      logger.error({ socket: this.#instance, ...faultOf(error) }, "a frame of a WebSocket failed: this is a bug");
    }
    const text = problemText(problem, this.#instance);
    this.send(`{"op":"error","id":${JSON.stringify(id)},"problem":${text}}`);
  }

  /** Frames for clients that see no pings, such as browsers; pings for clients that send nothing. */
  #beat(): void {
    const { writableLength, bytesWritten } = this.#wire;
    const [taken, nowMs] = [bytesWritten - writableLength, this.#deps.clock.monoMs()];
    if (writableLength === 0 || taken > this.#beaten.taken) this.#beaten.movedMs = nowMs;
    this.#beaten.taken = taken;
    if (!this.#alive || nowMs - this.#beaten.movedMs >= STALL_MS) return this.#socket.terminate();
    this.#alive = false;
    this.#cancelBeat = this.#deps.clock.after(HEARTBEAT_MS, () => this.#beat());
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.ping();
    if (writableLength === 0) this.send(BEAT);
  }

  #end(): void {
    const hasEnded = this.#caller.access.ended.aborted;
    if (hasEnded) this.#close(POLICY, "the token has ended");
    else this.#close(GOING_AWAY, "the service is stopping");
  }

  #close(code: number, why: string): void {
    this.#socket.close(code, why);
    const cancel = this.#deps.clock.after(CLOSE_MS, () => this.#socket.terminate());
    this.#socket.once("close", cancel);
    for (const subscription of this.#subscriptions.values()) subscription.end();
  }

  #wake(): void {
    const { resolve } = this.#drained;
    this.#drained = Promise.withResolvers();
    resolve();
    if (!this.#closed.signal.aborted) this.#pace();
  }
}

const NOTHING = "{}";
const BEAT = JSON.stringify({ op: "heartbeat" });

/** The body of the answer that the same would get over HTTP. */
function resultOf(reply: Reply): string {
  if (reply === "taken") throw new Error("what is said over a socket is answered there");
  if (reply.json !== undefined) return reply.json;
  return reply.body === undefined ? NOTHING : JSON.stringify(reply.body);
}

/** The fields as they came: the same as the body of a post over HTTP that a client of ours makes. */
function onceOf({ key, fields }: ClientFrame): Posting["once"] {
  if (key === undefined) return null;
  const fingerprint = createHash("sha256").update(JSON.stringify(fields)).digest("base64");
  return { key, fingerprint };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}
