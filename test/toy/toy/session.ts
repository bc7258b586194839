import { parseRemote } from "../../../src/lib/address.ts";
import type { Opened, OpenArgs } from "../../../src/contract/adapter.ts";
import type { Host } from "../../../src/contract/host.ts";
import type { ChannelRef, MessageRef } from "../../../src/contract/ids.ts";
import type { DeleteOp, EditOp, PostOp, ReactOp, TopicOp } from "../../../src/contract/ops.ts";
import type { Outcome, Reason } from "../../../src/contract/outcome.ts";
import type { Attempt, ChannelRequest, Ended, Handlers, Joined, Session } from "../../../src/contract/session.ts";
import { capabilities } from "./capabilities.ts";
import { type Answer, Connection } from "./connection.ts";
import type { ToySettings } from "./settings.ts";
import { receive, type Push } from "./receive.ts";
import { type Part, render } from "./render.ts";
import { channelRef, messageRef } from "./ids.ts";

type ToyHandlers = Handlers<typeof capabilities>;

const TEXT_MAX = capabilities.limits.textMax;
/** Events that may wait for the log. */
const PENDING_MAX = 500;
const RETRY_MS = 5_000;

export async function open({ settings, host, signal }: OpenArgs<ToySettings>): Promise<Opened<ToyHandlers>> {
  const address = parseRemote(settings.Server);
  if ("error" in address) {
    const why: Reason = { code: "config", message: `Server cannot be used: ${address.error}` };
    return { ok: false, ended: { cause: "config", why } };
  }
  if (signal.aborted) return { ok: false, ended: GIVEN_UP };
  const session: ToySession = new ToySession(
    new Connection(address, host.clock, (push) => session.take(push)),
    host,
    settings.Nick,
  );
  const { id, error } = await session.connection.ask(
    { do: "login", token: settings.Token, name: settings.Nick },
    signal,
  );
  if (error === undefined) {
    session.me = id ?? "";
    return { ok: true, session };
  }
  session.connection.end(error === "lost" ? GIVEN_UP : WRONG_TOKEN);
  return { ok: false, ended: await session.ended };
}

const GIVEN_UP: Ended = { cause: "lost", why: { code: "stopping", message: "connecting was cancelled" } };
const WRONG_TOKEN: Ended = {
  cause: "auth",
  why: { code: "auth", message: "the server does not know the token; check Token" },
};

class ToySession implements Session<ToyHandlers> {
  readonly as: string;
  readonly connection: Connection;
  readonly ended: Promise<Ended>;
  readonly handlers: ToyHandlers = {
    post: async (op, attempt) => await this.#post(op, attempt),
    edit: async (op, attempt) => await this.#edit(op, attempt),
    delete: async (op, attempt) => await this.#delete(op, attempt),
    react: async (op, attempt) => await this.#react(op, attempt),
    topic: async (op, attempt) => await this.#topic(op, attempt),
  };
  me = "";
  readonly #host: Host;
  #pending = 0;
  #quiet = false;

  constructor(connection: Connection, host: Host, nick: string) {
    this.connection = connection;
    this.ended = connection.ended;
    this.#host = host;
    this.as = nick;
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const { error } = await this.connection.ask({ do: "join", room: name }, signal);
    if (error === undefined) return { ok: true, ref: channelRef(name), without: [] };
    return {
      ok: false,
      why: { code: "forbidden", message: `the server does not let Rialto in: ${error}` },
      retryInMs: null,
    };
  }

  quiesce(): Promise<void> {
    this.#quiet = true;
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.connection.end({ cause: "asked", why: { code: "stopping", message: "closed" } });
    return Promise.resolve();
  }

  take(push: Push): void {
    if (this.#quiet) return;
    if (push.event === "kick" && push.who.id === this.me) {
      const why: Reason = { code: "forbidden", message: `${push.by.name} kicked Rialto: ${push.reason}` };
      return this.#host.lost(channelRef(push.room), why, RETRY_MS);
    }
    this.#pending += 1;
    if (this.#pending === PENDING_MAX) this.connection.pause(true);
    void this.#host.accept({ events: [receive(push, this.me)], cursor: null }).then(() => {
      this.#pending -= 1;
      if (this.#pending === PENDING_MAX - 1) this.connection.pause(false);
    });
  }

  async #post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const { parts, losses } = render(op, TEXT_MAX, op.resume);
    if (parts.length === 0 && op.resume === null) return rejected("bad_content", "there is nothing to say");
    const messages: MessageRef[] = [];
    for (const part of parts) {
      const said = await this.#say(op, part, attempt.signal);
      if (typeof said === "object") return said;
      messages.push(said);
      attempt.sent(part.end, [said]);
    }
    return { is: "delivered", receipt: { messages, losses } };
  }

  /** The op's id and the place in its text are the key: said again, the server knows it. */
  async #say(
    { id, channel, body, reply }: PostOp | EditOp,
    { text, from }: Part,
    signal: AbortSignal,
  ): Promise<MessageRef | Outcome> {
    const target = from === 0 ? (reply?.target ?? null) : null;
    const request = { do: "say", room: channel, text, style: body.style, reply: target, key: `${id}/${from}` };
    const answer = await this.connection.ask(request, signal);
    return failure(answer) ?? messageRef(answer.id ?? "");
  }

  async #edit(op: EditOp, { signal }: Attempt): Promise<Outcome> {
    const { parts, losses } = render(op, TEXT_MAX);
    if (parts.length === 0) return rejected("bad_content", "there is nothing to say");
    const messages: MessageRef[] = [];
    for (const [at, part] of parts.entries()) {
      const id = op.target[at];
      const edit = { do: "edit", room: op.channel, id, text: part.text };
      const said =
        id === undefined ? await this.#say(op, part, signal) : (failure(await this.connection.ask(edit, signal)) ?? id);
      if (typeof said === "object") return said;
      messages.push(said);
    }
    return (
      (await this.#erase(op.channel, op.target.slice(parts.length), signal)) ?? {
        is: "delivered",
        receipt: { messages, losses },
      }
    );
  }

  async #delete({ channel, target }: DeleteOp, { signal }: Attempt): Promise<Outcome> {
    return (await this.#erase(channel, target, signal)) ?? DONE;
  }

  async #erase(room: ChannelRef, target: readonly MessageRef[], signal: AbortSignal): Promise<Outcome | null> {
    for (const id of target) {
      const answer = await this.connection.ask({ do: "delete", room, id }, signal);
      const outcome = answer.error === "no-message" ? null : failure(answer);
      if (outcome !== null) return outcome;
    }
    return null;
  }

  /** We have one voice: an emoji stands while anybody elsewhere stands behind it. */
  async #react({ channel, target, emoji, standing }: ReactOp, { signal }: Attempt): Promise<Outcome> {
    const on = standing.some((one) => one.emoji === emoji);
    return failure(await this.connection.ask({ do: "react", room: channel, id: target, emoji, on }, signal)) ?? DONE;
  }

  async #topic({ channel, topic }: TopicOp, { signal }: Attempt): Promise<Outcome> {
    return failure(await this.connection.ask({ do: "topic", room: channel, text: topic }, signal)) ?? DONE;
  }
}

const DONE: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };

const rejected = (code: Reason["code"], message: string): Outcome => ({ is: "rejected", why: { code, message } });

/** How an op ends that did not go well; null: it did. */
function failure({ error }: Answer): Outcome | null {
  const deferred = { is: "deferred", retryInMs: RETRY_MS, scope: "channel" } as const;
  switch (error) {
    case undefined:
      return null;
    case "lost":
      return { is: "unknown", why: { code: "network", message: "the server did not answer" } };
    case "unsent":
      return { ...deferred, why: { code: "network", message: "not connected" } };
    case "not-here":
      return { ...deferred, why: { code: "forbidden", message: "Rialto is not in the room" } };
    case "no-message":
      return rejected("not_found", "there is no such message");
    default:
      return rejected("forbidden", `the server refused: ${error}`);
  }
}
