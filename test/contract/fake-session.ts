import type { Author, Event } from "../../src/contract/events.ts";
import type { Host } from "../../src/contract/host.ts";
import type { ChannelRef, EventKey, MessageRef, OpId, UserRef } from "../../src/contract/ids.ts";
import type { DeleteOp, EditOp, ReactOp } from "../../src/contract/ops.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { AnyHandlers, ChannelRequest, Ended, Joined, Session } from "../../src/contract/session.ts";
import type { FakeLink } from "./fake-link.ts";
import { deferred, FakePost, type PostRoad } from "./fake-poster.ts";
import type { Step } from "./fake-script.ts";
import type { FakeMessage, FakeServer, Happening, Member } from "./fake-server.ts";
import { linesOf } from "./fake-text.ts";
import { aborted, Turns } from "./fake-turns.ts";
import { plainBody } from "./texts.ts";

/** Events that wait in `accept` when the session stops reading, and when it reads again. */
const PENDING_MAX = 500;
const PENDING_LOW = 250;

type Common = Pick<Event, "channel" | "atMs" | "key" | "echoOf">;

/** The adapter's half of the fake network: a session as a careful adapter makes it. */
export class FakeSession implements Session, Member {
  readonly as: string;
  readonly name: string;
  readonly link: FakeLink;
  readonly handlers: AnyHandlers;
  readonly ended: Promise<Ended>;
  readonly #ended = Promise.withResolvers<Ended>();
  readonly #host: Host;
  readonly #server: FakeServer;
  readonly #road: PostRoad;
  readonly #joined = new Set<string>();
  #pending = 0;
  #quiet = false;

  constructor(
    name: string,
    link: FakeLink,
    host: Host,
    road: Pick<PostRoad, "traits" | "server" | "rate">,
    step: (room: string) => Step,
  ) {
    this.as = name;
    this.name = name;
    this.link = link;
    this.#host = host;
    this.#server = road.server;
    const spent = { sinceMs: 0, lines: 0 };
    this.#road = {
      traits: road.traits,
      server: road.server,
      rate: road.rate,
      member: this,
      link,
      clock: host.clock,
      turns: new Turns(),
      unanswered: 0,
      onAnswer: new Set(),
      spent,
      closing: false,
    };
    this.ended = this.#ended.promise;
    void link.gone.then(() => this.#server.remove(this));
    void link.cutOff.then(() =>
      this.#over({ cause: "lost", why: { code: "network", message: "the connection broke" } }),
    );
    const post: AnyHandlers["post"] = async (op, attempt) => {
      if (this.#joined.has(op.channel))
        return await new FakePost(this.#road, op.channel, op, attempt, step(op.channel)).run();
      return deferred("not_found", "we are not in this channel");
    };
    const rich = { edit: this.#edit, delete: this.#delete, react: this.#react };
    this.handlers = road.traits.ops === "native" ? { post, ...rich } : { post };
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    if (!/^#?[\w-]+$/u.test(name)) return refused("not_found", "a channel's name is letters, digits, _ and -");
    const abort = aborted(signal);
    const asking = this.link.ask(() => {
      const refusal = this.#server.refusals.get(name) ?? null;
      if (refusal === null) this.#server.enter(name, this);
      return refusal;
    });
    const answer = await Promise.race([asking, abort.promise]);
    abort.stop();
    if (answer === true) return refused("stopping", "given up");
    if (!answer.ok) return refused("network", "the session is over");
    if (answer.value !== null) return { ok: false, ...answer.value };
    this.#joined.add(name);
    return { ok: true, ref: name as ChannelRef };
  }

  quiesce(): Promise<void> {
    this.#quiet = true;
    return Promise.resolve();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#road.closing = true;
    this.#quiet = true;
    const abort = aborted(signal);
    const bye = this.link.ask(() => this.#server.remove(this));
    await Promise.race([bye, abort.promise]);
    abort.stop();
    this.#over({ cause: "asked", why: { code: "stopping", message: "Rialto closed it" } });
    this.link.cut();
  }

  hear(room: string, happening: Happening): void {
    if (this.#quiet) return;
    if (happening.is === "kicked") {
      this.#joined.delete(room);
      const why = { code: "forbidden", message: `kicked by ${happening.by} (${happening.reason})` } as const;
      this.#host.lost(room as ChannelRef, why, 0);
      return;
    }
    this.#take(eventOf(room as ChannelRef, happening, this.#host.clock.nowMs(), this.#server.stamp()));
  }

  /** Intake is bounded: while too much waits in `accept`, nothing is read. */
  #take(event: Event): void {
    this.#pending += 1;
    if (this.#pending >= PENDING_MAX) this.link.reading(false);
    void this.#host.accept({ events: [event], cursor: null }).then(() => {
      this.#pending -= 1;
      if (this.#pending <= PENDING_LOW) this.link.reading(true);
    });
  }

  #over(ended: Ended): void {
    this.#quiet = true;
    this.#ended.resolve(ended);
  }

  readonly #edit = async (op: EditOp): Promise<Outcome> =>
    await this.#change(op.channel, op.target[0], (message) => {
      message.text = linesOf(op, this.#road.traits.textMax).lines.join(" ");
    });

  readonly #delete = async (op: DeleteOp): Promise<Outcome> =>
    await this.#change(op.channel, op.target[0], (message) => {
      message.gone = true;
    });

  readonly #react = async (op: ReactOp): Promise<Outcome> =>
    await this.#change(op.channel, op.target, ({ reactions }) => {
      if (op.on) reactions.add(op.emoji);
      else reactions.delete(op.emoji);
    });

  /** All three are safe to repeat, so a broken connection leaves them deferred. */
  async #change(room: string, ref: MessageRef | undefined, change: (message: FakeMessage) => void): Promise<Outcome> {
    const answer = await this.link.ask(() => {
      const message = ref === undefined ? null : this.#server.byRef(room, ref);
      if (message) change(message);
      return message !== null;
    });
    if (!answer.ok) return deferred("network", "the session is over", "session");
    if (!answer.value) return { is: "rejected", why: { code: "not_found", message: "there is no such message" } };
    return { is: "delivered", receipt: { messages: ref === undefined ? [] : [ref], losses: [] } };
  }
}

function refused(code: "not_found" | "stopping" | "network", message: string): Joined {
  return { ok: false, why: { code, message }, retryInMs: null };
}

function authorOf(name: string): Author {
  return { id: name as UserRef, name, avatar: null, bot: false };
}

function eventOf(
  channel: ChannelRef,
  happening: Exclude<Happening, { is: "kicked" }>,
  atMs: number,
  key: string,
): Event {
  const common: Common = { channel, atMs, key: key as EventKey, echoOf: null };
  switch (happening.is) {
    case "said":
      return said(common, happening.message);
    case "topic": {
      const { by, topic } = happening;
      return { ...common, kind: "topic", author: authorOf(by), topic, text: `${by} changes the topic to: ${topic}` };
    }
    case "joined":
      return member(common, happening.name, "join", `${happening.name} joins`);
    case "renamed":
      return member(common, happening.to, "rename", `${happening.from} is now ${happening.to}`);
    case "left": {
      const { name, by, reason } = happening;
      const left = member(common, name, "leave", `${name} ${by === null ? "leaves" : `is kicked by ${by}`}`);
      return { ...left, by: by === null ? null : authorOf(by), reason };
    }
  }
}

function member(
  common: Common,
  name: string,
  change: "join" | "leave" | "rename",
  text: string,
): Event & { kind: "member" } {
  return { ...common, kind: "member", author: authorOf(name), change, by: null, reason: null, text };
}

function said(common: Common, { ref, by, text, style, key }: FakeMessage): Event {
  const echoOf = key === null ? null : (key.slice(0, key.lastIndexOf("/")) as OpId);
  const messages = [ref as MessageRef];
  return {
    ...common,
    kind: "posted",
    key: ref as EventKey,
    echoOf,
    messages,
    author: authorOf(by),
    body: plainBody(text, style),
    replyTo: null,
    thread: null,
  };
}
