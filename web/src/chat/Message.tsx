import { createRef, type JSX } from "preact";
import type { WebMessage, WebReply } from "../../../src/contract/web-chat.ts";
import { utc } from "../lib/format.ts";
import { Blocks } from "./Blocks.tsx";
import { Files } from "./Files.tsx";
import { focusNextTo } from "./articles.ts";
import { Pure } from "./Pure.ts";
import { chatTexts as texts } from "./texts.ts";

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

export type Act = "reply" | "react" | "edit" | "delete" | "report" | "toggle" | "jump";

interface RowProps {
  readonly message: WebMessage;
  /** The message before it; null: there is none. */
  readonly before: WebMessage | null;
  /** The line of what is new stands before it. */
  readonly isFirstNew: boolean;
}

/** A message with the lines above it. What its buttons do is known by the log, which hears them all. */
export class Row extends Pure<RowProps> {
  readonly #article = createRef<HTMLElement>();

  override componentWillUnmount(): void {
    focusNextTo(this.#article.current);
  }

  override render({ message, before, isFirstNew }: RowProps): JSX.Element {
    const ms = Date.parse(message.time);
    const day = DAY.format(ms);
    const newDay = before === null || DAY.format(Date.parse(before.time)) !== day;
    const isGrouped = !newDay && !isFirstNew && continues(message, before);
    return (
      <>
        {newDay ? (
          <div class="line" role="separator" aria-label={day}>
            <span>{day}</span>
          </div>
        ) : null}
        {isFirstNew ? (
          <div class="line new" role="separator" aria-label={texts.unread}>
            <span>{texts.unread}</span>
          </div>
        ) : null}
        <article ref={this.#article} class={classOf(message, isGrouped)} tabIndex={-1} data-id={message.id}>
          <Head message={message} ms={ms} />
          {message.reply_to === null ? null : <Quote reply={message.reply_to} />}
          <div class="text" dir="auto">
            <Blocks blocks={message.blocks} />
          </div>
          <Files files={message.files} />
          <Reactions message={message} />
          <Actions message={message} />
        </article>
      </>
    );
  }
}

const classOf = ({ author, style }: WebMessage, isGrouped: boolean): string =>
  ["message", author.mine ? "mine" : "", style === "normal" ? "" : style, isGrouped ? "grouped" : ""]
    .filter((name) => name !== "")
    .join(" ");

/** Messages of one person that follow each other within this time stand under one name. */
const GROUP_MS = 5 * 60_000;

/** Whether the head of the message before says all that the head of this one would say. */
function continues({ author, style, time, edited, reply_to: reply }: WebMessage, before: WebMessage | null): boolean {
  if (before === null || edited || reply !== null || style !== "normal" || before.style !== "normal") return false;
  const { id, name } = before.author;
  return id === author.id && name === author.name && Date.parse(time) - Date.parse(before.time) < GROUP_MS;
}

/** It leads to the original, unless that is gone. */
function Quote({ reply: { author, excerpt } }: { readonly reply: WebReply }): JSX.Element {
  const words = (
    <>
      <bdi>{author}</bdi> <span dir="auto">{excerpt}</span>
    </>
  );
  return (
    <blockquote class="reply" aria-label={texts.inReplyTo(author)}>
      {author === "" ? (
        words
      ) : (
        <button type="button" data-act="jump" tabIndex={-1}>
          {words}
        </button>
      )}
    </blockquote>
  );
}

function Head({ message, ms }: { readonly message: WebMessage; readonly ms: number }): JSX.Element {
  const { author, edited, style } = message;
  const avatar = avatarOf(author.avatar);
  return (
    <div class="head">
      {avatar === null ? null : <img class="avatar" src={avatar} alt="" loading="lazy" />}
      <bdi class="author">{author.name}</bdi>
      {author.guest ? <span class="tag">{texts.guest}</span> : null}
      {author.network === "" ? null : <span class="tag">{author.network}</span>}
      {style === "notice" ? <span class="tag">{texts.notice}</span> : null}
      <time dateTime={message.time} title={utc(ms)}>
        {CLOCK.format(ms)}
      </time>
      {edited ? <span class="mark">{texts.edited}</span> : null}
    </div>
  );
}

/** Pictures come from nowhere else. */
function avatarOf(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address, location.href);
  return url?.origin === location.origin ? url.href : null;
}

function Reactions({ message: { reactions } }: { readonly message: WebMessage }): JSX.Element | null {
  if (reactions.length === 0) return null;
  return (
    <div class="reactions">
      {reactions.map(({ emoji, count, mine }) => (
        <button
          key={emoji}
          type="button"
          data-act="toggle"
          data-emoji={emoji}
          tabIndex={-1}
          aria-pressed={mine}
          aria-label={texts.reaction(emoji, count)}
        >
          {emoji} {count}
        </button>
      ))}
    </div>
  );
}

/** Reached by the keyboard only in the message that has the focus: a room has thousands of them. */
function Actions({ message: { author, text } }: { readonly message: WebMessage }): JSX.Element {
  const own: readonly ("edit" | "delete")[] = text === "" ? ["delete"] : ["edit", "delete"];
  const acts = ["reply", "react", ...(author.mine ? own : (["report"] as const))] as const;
  return (
    <div class="actions" aria-live="off">
      {acts.map((act) => (
        <button key={act} type="button" data-act={act} tabIndex={-1}>
          {texts[act]}
        </button>
      ))}
    </div>
  );
}
