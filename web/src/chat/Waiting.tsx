import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusNextTo } from "./articles.ts";
import { me, sayAgain } from "./state.ts";
import { discard, type PendingMessage, pending } from "./outbox.ts";
import { chatTexts as texts } from "./texts.ts";

const MARKS = {
  sending: texts.sending,
  accepted: texts.accepted,
  held: texts.waits,
  rejected: texts.rejected,
  failed: texts.failed,
};

/** What one has sent and the room does not show yet, behind all that it shows. */
export function Waiting(): JSX.Element {
  return (
    <>
      {pending.value.map((one) =>
        one.shownAs === null || one.state === "failed" ? <One key={one.key} one={one} /> : null,
      )}
    </>
  );
}

function One({ one }: { readonly one: PendingMessage }): JSX.Element {
  const { key, text, files, state, why, replyTo } = one;
  const article = useRef<HTMLElement>(null);
  useLayoutEffect(() => () => focusNextTo(article.current), []);
  return (
    <article ref={article} class={`message mine waiting ${state}`} tabIndex={-1} data-waiting={key}>
      <div class="head">
        <bdi class="author">{me.value?.name}</bdi>
        <span class="mark" title={state === "accepted" ? texts.acceptedTitle : undefined}>
          {MARKS[state]}
        </span>
      </div>
      {replyTo === null ? null : (
        <blockquote class="reply">
          <bdi>{replyTo.author}</bdi> <span dir="auto">{replyTo.excerpt}</span>
        </blockquote>
      )}
      <div class="text" dir="auto">
        <p>{text}</p>
      </div>
      {files.length === 0 ? null : (
        <ul class="files">
          {files.map(({ id, name }) => (
            <li key={id}>
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      )}
      {state === "failed" ? (
        <p class="why" role="alert">
          {why}{" "}
          <button
            type="button"
            onClick={() => {
              // The button goes, and the focus with it.
              article.current?.focus({ preventScroll: true });
              sayAgain(key);
            }}
          >
            {texts.tryAgain}
          </button>{" "}
          <button type="button" onClick={() => discard(key)}>
            {texts.discard}
          </button>
        </p>
      ) : null}
      {state === "rejected" ? (
        <p class="why">
          <button type="button" onClick={() => discard(key)}>
            {texts.discard}
          </button>
        </p>
      ) : null}
    </article>
  );
}
