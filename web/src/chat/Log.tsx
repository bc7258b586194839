import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { WebMessage } from "../../../src/contract/web-chat.ts";
import type { Act } from "./Message.tsx";
import { Row } from "./Message.tsx";
import { pending } from "./outbox.ts";
import { Pure } from "./Pure.ts";
import { blocks, loadOlder, look, messageOf, older, unreadAfter, unseen } from "./state.ts";
import { chatTexts as texts } from "./texts.ts";
import type { ChatRows } from "./timeline.ts";
import { Waiting } from "./Waiting.tsx";

/** Less than this from the end counts as the end. */
const END_PX = 24;
const OLDER_PX = 200;

interface LogProps {
  readonly onAct: (act: Act, message: WebMessage, emoji: string) => void;
}

export function Log({ onAct }: LogProps): JSX.Element {
  const log = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const atEnd = useSignal(true);
  useStickToEnd(log, inner, atEnd);
  useRoving(log);
  const { more, hold } = useHeldPlace(log);
  const onScroll = (): void => {
    const { current } = log;
    if (current === null) return;
    atEnd.value = current.scrollHeight - current.scrollTop - current.clientHeight < END_PX;
    look(atEnd.value);
    if (current.scrollTop < OLDER_PX && older.value === "some") more();
  };
  const firstTouch = useRef(false);
  /** A finger shows the buttons of a message first, and presses one of them the next time. */
  const onPointerDown = ({ pointerType, target }: PointerEvent): void => {
    const article = (target as Element).closest("article");
    firstTouch.current = pointerType !== "mouse" && article?.contains(document.activeElement) !== true;
  };
  const onClick = ({ target }: MouseEvent): void => {
    const button = (target as Element).closest<HTMLElement>("[data-act]");
    const message = messageOf(button?.closest<HTMLElement>("article")?.dataset["id"] ?? "");
    const isHidden = firstTouch.current && button?.closest(".actions") !== null;
    firstTouch.current = false;
    if (button === null || message === undefined || isHidden) return;
    onAct(button.dataset["act"] as Act, message, button.dataset["emoji"] ?? "");
  };
  return (
    <div class="room-log">
      <div
        ref={log}
        class="log"
        role="log"
        aria-live="polite"
        aria-label={texts.messages}
        aria-busy={older.value === "loading"}
        tabIndex={0}
        onScroll={onScroll}
        onPointerDown={onPointerDown}
        onClick={onClick}
      >
        <div ref={inner} class="inner">
          <Older onMore={more} />
          <AllRows onOlder={hold} />
          <Waiting />
        </div>
      </div>
      {atEnd.value ? null : (
        <button type="button" class="to-end" onClick={() => toEnd(log.current)}>
          {unseen.value === 0 ? texts.toEnd : texts.newMessages(unseen.value)}
        </button>
      )}
    </div>
  );
}

function toEnd(log: HTMLElement | null): void {
  if (log !== null) log.scrollTop = log.scrollHeight;
}

/** What is in sight stays where it is: at the very top the browser itself does not see to that. */
function useHeldPlace(log: Box): { readonly more: () => void; readonly hold: () => void } {
  const fromEnd = useRef<number | null>(null);
  return {
    more: () =>
      void loadOlder(() => {
        const { current } = log;
        fromEnd.current = current === null ? null : current.scrollHeight - current.scrollTop;
      }),
    hold: () => {
      if (log.current !== null && fromEnd.current !== null) {
        log.current.scrollTop = log.current.scrollHeight - fromEnd.current;
      }
      fromEnd.current = null;
    },
  };
}

type Box = { readonly current: HTMLElement | null };

/** Who reads what was is left where they are; what one sends oneself is always shown. */
function useStickToEnd(log: Box, inner: Box, atEnd: { value: boolean }): void {
  const sent = useRef("");
  useEffect(() => {
    if (inner.current === null || log.current === null) return;
    const watch = new ResizeObserver(() => {
      if (atEnd.value) toEnd(log.current);
    });
    watch.observe(inner.current);
    watch.observe(log.current);
    return () => watch.disconnect();
  }, []);
  const newest = pending.value.findLast(({ state }) => state === "sending")?.key ?? "";
  useLayoutEffect(() => {
    if (newest === "" || newest === sent.current) return;
    sent.current = newest;
    toEnd(log.current);
  }, [newest]);
}

/** From message to message by the arrows; the buttons of the one that has the focus follow it. */
function useRoving(log: Box): void {
  useEffect(() => {
    const { current } = log;
    if (current === null) return;
    const reach = (article: Element | null, index: number): void => {
      for (const button of article?.querySelectorAll("[data-act]") ?? [])
        button.setAttribute("tabindex", String(index));
    };
    const onFocus = ({ target, relatedTarget }: FocusEvent): void => {
      const now = (target as Element).closest("article");
      const before = relatedTarget instanceof Element ? relatedTarget.closest("article") : null;
      if (now === before) return;
      reach(before, -1);
      reach(now, 0);
    };
    const onKey = (event: KeyboardEvent): void => {
      const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };
      const step = steps[event.key];
      if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      const all = [...current.querySelectorAll("article")];
      const at = all.indexOf((event.target as Element).closest("article") as HTMLElement);
      const next = at === -1 ? all.length - 1 : Math.max(0, Math.min(all.length - 1, at + step));
      const article = all[next];
      if (article === undefined) return;
      event.preventDefault();
      article.focus({ preventScroll: true });
      article.scrollIntoView({ block: "nearest" });
    };
    current.addEventListener("focusin", onFocus);
    current.addEventListener("keydown", onKey);
    return () => {
      current.removeEventListener("focusin", onFocus);
      current.removeEventListener("keydown", onKey);
    };
  }, []);
}

function Older({ onMore }: { readonly onMore: () => void }): JSX.Element | null {
  if (older.value === "loading") return <p class="aside-line">{texts.loadingOlder}</p>;
  if (older.value === "none") return blocks.value.length === 0 ? null : <p class="aside-line">{texts.beginning}</p>;
  return (
    <p class="aside-line">
      <OlderButton onMore={onMore} />
    </p>
  );
}

function OlderButton({ onMore }: { readonly onMore: () => void }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  // It goes when it is pressed.
  useLayoutEffect(
    () => () => {
      if (button.current === document.activeElement)
        button.current?.closest<HTMLElement>(".log")?.focus({ preventScroll: true });
    },
    [],
  );
  return (
    <button ref={button} type="button" class="button quiet" onClick={onMore}>
      {texts.older}
    </button>
  );
}

/** Apart, so that nothing else of the log is rendered when a message comes. */
function AllRows({ onOlder }: { readonly onOlder: () => void }): JSX.Element {
  const all = blocks.value;
  useLayoutEffect(onOlder, [all[0]?.key]);
  const after = unreadAfter.value;
  const newIn = after === null ? null : firstNew(all, after);
  return (
    <>
      {all.map(({ key, messages }, index) => (
        <Block
          key={key}
          messages={messages}
          before={all[index - 1]?.messages.at(-1) ?? null}
          firstNew={newIn !== null && messages.some(({ id }) => id === newIn) ? newIn : null}
        />
      ))}
    </>
  );
}

/** The id of the message behind the last one that was seen. */
function firstNew(all: readonly ChatRows[], after: string): string | null {
  for (const [index, { messages }] of all.entries()) {
    const at = messages.findIndex(({ id }) => id === after);
    if (at !== -1) return messages[at + 1]?.id ?? all[index + 1]?.messages[0]?.id ?? null;
  }
  return null;
}

interface BlockProps {
  readonly messages: readonly WebMessage[];
  /** The message before the first one; null: there is none. */
  readonly before: WebMessage | null;
  readonly firstNew: string | null;
}

class Block extends Pure<BlockProps> {
  override render({ messages, before, firstNew }: BlockProps): JSX.Element {
    return (
      <div class="block" style={{ "--rows": messages.length }}>
        {messages.map((message, index) => (
          <Row
            key={message.id}
            message={message}
            before={messages[index - 1] ?? before}
            isFirstNew={message.id === firstNew}
          />
        ))}
      </div>
    );
  }
}
