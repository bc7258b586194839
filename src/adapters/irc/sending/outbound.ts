import type { Host } from "../../../contract/host.ts";
import type { ChannelRef } from "../../../contract/ids.ts";
import type { DeleteOp, OptionalKind, PostOp, TopicOp } from "../../../contract/ops.ts";
import type { Loss, Outcome, Reason } from "../../../contract/outcome.ts";
import type { Attempt } from "../../../contract/session.ts";
import { plainText } from "../../../content/plain.ts";
import { onAbort } from "../../../lib/abort.ts";
import type { Channels } from "../channels/channels.ts";
import type { Charset } from "../wire/charset.ts";
import type { OpForm } from "./acceptance.ts";
import type { Flow } from "./flow.ts";
import { passesClientTag } from "../wire/isupport.ts";
import type { ConnectionContext } from "../link.ts";
import {
  batchPart,
  fitsMultiline,
  lineParts,
  MULTILINE,
  multilineLimits,
  type IrcPart,
  redactParts,
  relayParts,
  topicPart,
} from "./parts.ts";
import type { Relay, IdentityLevel } from "./relay.ts";
import type { LineOutcome } from "./sending.ts";
import { TRAIT_NAMES, withoutTraits } from "./traits.ts";
import { type Rendered, renderPost, renderTopic, textRoom } from "../render.ts";
import type { IrcSettings } from "../settings.ts";
import type { Tags } from "../wire/tags.ts";

/** The draft came first, and older clients know only that. */
const REPLY_TAGS = ["draft/reply", "reply"] as const;

interface OutboundOptions {
  readonly link: ConnectionContext;
  readonly flow: Flow;
  readonly channels: Pick<Channels, "refOf">;
  readonly charset: Charset;
  readonly settings: IrcSettings;
  readonly host: Pick<Host, "publish" | "log">;
  readonly relay: Relay;
  /** A message was sent to the channel. */
  readonly onSent: (text: string, channel: ChannelRef) => void;
}

type RenderedLines = Pick<Rendered, "command" | "lines">;

interface Made {
  readonly level: IdentityLevel;
  readonly rendered: Rendered;
}

/** From ops to what `Flow` writes: which lines, under which name, as one message or several. */
export class Outbound {
  readonly #options: OutboundOptions;
  /** The op of each channel that waits to be handed to the flow last: those after it keep their order. */
  readonly #last = new Map<ChannelRef, Promise<void>>();
  #batches = 0;
  /** The server has refused a message of several lines. */
  #isSingle = false;

  constructor(options: OutboundOptions) {
    this.#options = options;
  }

  /** What the server cannot do although IRC can. */
  get without(): readonly OptionalKind[] {
    return this.#canRedact ? [] : ["delete"];
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const { channels } = this.#options;
    const before = this.#last.get(op.channel);
    let target = channels.refOf(op.channel);
    let made = target === null ? null : this.#made(op, target, null);
    const isCut = made?.rendered.losses.some(isLength) === true;
    // Whoever need not wait enters the flow at once, as the calls come.
    if (before !== undefined || isCut) {
      const rest = await this.#inTurn(op.channel, before, isCut ? this.#published(op, attempt.signal) : null);
      target = channels.refOf(op.channel);
      made = target === null ? null : this.#made(op, target, rest);
    }
    if (target === null || made === null) return NOT_THERE;
    const outcome = await this.#send(op, attempt, target, made);
    if (outcome.is === "delivered" && op.author !== null) this.#options.onSent(op.body.source.text, target);
    return outcome;
  }

  async delete(op: DeleteOp, attempt: Attempt): Promise<Outcome> {
    const { channels, flow } = this.#options;
    const before = this.#last.get(op.channel);
    if (before !== undefined) await this.#inTurn(op.channel, before, null);
    const target = channels.refOf(op.channel);
    if (target === null) return NOT_THERE;
    if (!this.#canRedact) return NO_REDACTION;
    return await flow.post({ target, lines: redactParts(target, op.target), losses: [], attempt });
  }

  /** Its place among the messages is that of the call. That it may be sent twice needs no intent. */
  async topic(op: TopicOp, { signal }: Attempt): Promise<Outcome> {
    const { channels, flow, link, charset } = this.#options;
    const before = this.#last.get(op.channel);
    if (before !== undefined) await this.#inTurn(op.channel, before, null);
    const target = channels.refOf(op.channel);
    if (target === null) return NOT_THERE;
    const { linelen: lineBytes, topiclen } = link.isupport;
    const room = textRoom({ lineBytes, prefix: link.prefix, command: "TOPIC", target });
    const { text, losses } = renderTopic(op.topic, charset, Math.min(room, topiclen));
    const attempt: Attempt = { signal, sending: ALLOWED, sent: () => undefined };
    return await flow.post({ target, lines: [topicPart(target, text)], losses, attempt });
  }

  get #canRedact(): boolean {
    const { link } = this.#options;
    return REDACTION.every((capability) => link.has(capability));
  }

  /**
   * What `work` gives, once those before it in the channel have had their turn: while a link to a long text is made,
   * what comes after that text stays after it.
   */
  async #inTurn(
    channel: ChannelRef,
    before: Promise<void> | undefined,
    work: Promise<string | null> | null,
  ): Promise<string | null> {
    const turn = Promise.withResolvers<void>();
    this.#last.set(channel, turn.promise);
    const result = await work;
    await before;
    // The op enters the flow before the next one gets its turn: a microtask is too early for that.
    setImmediate(() => {
      if (this.#last.get(channel) === turn.promise) this.#last.delete(channel);
      turn.resolve();
    });
    return result;
  }

  async #published({ body }: PostOp, signal: AbortSignal): Promise<string | null> {
    const files = body.files.flatMap(({ name, url }) => (url === null ? [] : [`${name}: ${url}`]));
    const text = [plainText(body.blocks) || body.source.text, ...files].join("\n");
    const gone = Promise.withResolvers<null>();
    const release = onAbort(signal, () => gone.resolve(null));
    const link = await Promise.race([this.#options.host.publish(text), gone.promise]);
    release();
    return link;
  }

  async #send(op: PostOp, attempt: Attempt, target: ChannelRef, { level, rendered }: Made): Promise<Outcome> {
    const { flow, link, relay } = this.#options;
    const { acceptance } = flow;
    const losses: Loss[] = [...rendered.losses];
    if (relay.wanted && op.author !== null && level?.named !== false)
      losses.push({ what: "identity", note: "the name is in the text" });
    const key = link.key(target);
    const form = acceptance.form(key, op.id);
    const formed = this.#formed(rendered, form.without, losses);
    const outcome = await flow.post({
      target,
      lines: this.#parts(op, target, formed, level),
      losses,
      attempt,
      onAnswer: (part, answer) => this.#learn(op, part, answer, { key, level }),
    });
    if (outcome.is === "delivered") acceptance.passed(key, op.id, form);
    return outcome;
  }

  /** The same words as the channel takes them. */
  #formed({ command, lines }: Rendered, without: OpForm["without"], losses: Loss[]): RenderedLines {
    if (without.size === 0) return { command, lines };
    const formed = lines.map(({ text, end }) => ({ ...withoutTraits({ command, text }, without), end }));
    if (formed.some(({ text }, index) => text !== lines[index]?.text))
      losses.push({
        what: "format",
        note: `the channel takes no ${Array.from(without, (trait) => TRAIT_NAMES[trait]).join(", ")}`,
      });
    return { command: formed[0]?.command ?? command, lines: formed };
  }

  #learn(
    op: PostOp,
    part: IrcPart,
    answer: LineOutcome,
    { key, level }: { readonly key: string; readonly level: IdentityLevel },
  ): void {
    const { relay, flow } = this.#options;
    const { acceptance } = flow;
    if (answer.is === "confirmed") acceptance.take(key, part.traits);
    if (answer.is !== "refused" || answer.refusal.is !== "deferred") return;
    const { limitation, omit } = answer.refusal;
    if (omit !== undefined) acceptance.refuse(key, op.id, omit);
    if (limitation === "multiline") this.#isSingle = true;
    else if (limitation !== undefined && level !== null) relay.learn(limitation, level.nick, key);
  }

  #made(op: PostOp, target: ChannelRef, rest: string | null): Made {
    const { link, relay } = this.#options;
    const level = op.author === null || op.body.style === "notice" ? null : relay.level(op.author, link.key(target));
    return { level, rendered: this.#render(op, target, { level, rest }) };
  }

  #render(op: PostOp, target: ChannelRef, { level, rest }: { level: IdentityLevel; rest: string | null }): Rendered {
    const { settings, charset, link, relay } = this.#options;
    const own = link.prefix;
    const isNamed = op.author !== null && (level === null || level.named);
    const draft = { ...op, author: isNamed ? relay.inText(op.author, op.body.style) : null };
    return renderPost(draft, {
      colorNicks: settings.ColorNicks,
      stripMarkdown: settings.StripMarkdown,
      messageLines: settings.MessageLines,
      lineBytes: textRoom({
        lineBytes: link.isupport.linelen,
        prefix: level === null ? own : level.nick + own.slice(own.indexOf("!")),
        command: "PRIVMSG",
        target,
      }),
      textBytes: settings.MessageLength,
      charset,
      resume: op.resume,
      rest,
    });
  }

  #parts(op: PostOp, target: ChannelRef, rendered: RenderedLines, level: IdentityLevel): readonly IrcPart[] {
    const place = { target, tags: op.resume === null ? this.#replyTags(op) : NONE };
    if (level !== null) return relayParts(rendered.lines, place, level.nick);
    if (!this.#takesBatch(rendered)) return lineParts(rendered, place);
    this.#batches += 1;
    return [batchPart(rendered.lines, place, `m${this.#batches}`)];
  }

  #takesBatch(rendered: RenderedLines): boolean {
    const { link, charset } = this.#options;
    if (this.#isSingle || !link.has(MULTILINE) || !link.has("batch")) return false;
    const limits = multilineLimits(link.caps.offered.get(MULTILINE));
    return limits !== null && fitsMultiline(rendered, limits, charset.measure);
  }

  #replyTags({ reply }: PostOp): Tags {
    const { link } = this.#options;
    if (reply === null || !link.has("message-tags")) return NONE;
    const passed = REPLY_TAGS.filter((tag) => passesClientTag(link.isupport, tag));
    return new Map(passed.map((tag) => [`+${tag}`, reply.target]));
  }
}

const ALLOWED = async (): Promise<boolean> => await Promise.resolve(true);

const isLength = ({ what }: Loss): boolean => what === "length";

const NONE: Tags = new Map();
/** Without echoes we would not know the ids of what we have written. */
const REDACTION = ["draft/message-redaction", "message-tags", "echo-message"] as const;

const NOT_IN: Reason = { code: "not_found", message: "Rialto is not in the channel" };
const NOT_THERE: Outcome = { is: "deferred", why: NOT_IN, retryInMs: 1000, scope: "channel" };
const NO_REDACTION: Outcome = {
  is: "rejected",
  why: { code: "unsupported", message: "the server does not support draft/message-redaction" },
};
