import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { WebMessage, WebRoom } from "../../../src/contract/web-chat.ts";
import { type ApiAnswer, del, path, put } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Confirming, confirm } from "../parts/Dialog.tsx";
import { Notice } from "../parts/Notice.tsx";
import { ThemeSwitch } from "../parts/Theme.tsx";
import { articleOf } from "./articles.ts";
import { Reacting, Reporting } from "./Asking.tsx";
import { Composer, type ComposerMode } from "./Composer.tsx";
import { deleteSoon, deletions, keepMessage } from "./deletions.ts";
import { askToLeave, Renaming } from "./Guest.tsx";
import { Log } from "./Log.tsx";
import { Members } from "./Members.tsx";
import type { Act } from "./Message.tsx";
import { presentCount } from "./people.ts";
import { RoomSwitch } from "./RoomLinks.tsx";
import { inRoom } from "./rooms.ts";
import { typing, unseen, wire } from "./state.ts";
import { chatTexts as texts } from "./texts.ts";

type Asked =
  | { readonly for: "react" | "report"; readonly message: WebMessage }
  | { readonly for: "name"; readonly message: null }
  | null;

const messagePath = ({ id }: WebMessage, emoji?: string): string =>
  inRoom(`/v1/messages${path(emoji === undefined ? [id] : [id, "reactions", emoji])}`);

export function Room({ room }: { readonly room: WebRoom }): JSX.Element {
  const mode = useSignal<ComposerMode>({ does: "say" });
  const asked = useSignal<Asked>(null);
  const said = useSignal("");
  const showMembers = useSignal(false);
  useTitle(room.name);
  useEnd(said);
  const close = (): void => {
    asked.value = null;
  };
  const tell = (answer: ApiAnswer<unknown>): void => {
    said.value = answer.ok ? "" : answer.problem.detail === "" ? answer.problem.title : answer.problem.detail;
  };
  const done = async (call: ReturnType<typeof del>): Promise<void> => tell(await call);
  const onAct = (act: Act, message: WebMessage, emoji: string): void => {
    if (act === "reply" || act === "edit") mode.value = { does: act, message };
    else if (act === "react" || act === "report") asked.value = { for: act, message };
    else if (act === "delete") void askToDelete(message, tell);
    else if (act === "jump") said.value = jumpTo(message.reply_to?.id ?? "") ? "" : texts.notLoaded;
    else {
      const mine = message.reactions.some((each) => each.emoji === emoji && each.mine);
      void done(mine ? del(messagePath(message, emoji)) : put(messagePath(message, emoji), undefined));
    }
  };
  const give = (emoji: string): void => {
    if (asked.value?.for === "react") void done(put(messagePath(asked.value.message, emoji), undefined));
    close();
  };
  const thank = (): void => {
    said.value = texts.reported;
    close();
  };
  return (
    <div class={showMembers.value ? "room with-members" : "room"}>
      <Top room={room} showMembers={showMembers}>
        <Button
          kind="quiet"
          onPress={() => {
            asked.value = { for: "name", message: null };
          }}
        >
          {texts.changeName}
        </Button>
        <Button kind="quiet" onPress={() => void askToLeave(room.name, tell)}>
          {texts.leave}
        </Button>
      </Top>
      <main>
        <Standing room={room} />
        <Log onAct={onAct} />
        <Typing />
        <Deleting />
        {said.value === "" ? null : (
          <p class="said" role="status">
            {said.value}
          </p>
        )}
        <Composer room={room} mode={mode} />
      </main>
      <Members />
      <Confirming />
      {asked.value?.for === "react" ? <Reacting onClose={close} onPick={give} /> : null}
      {asked.value?.for === "name" ? <Renaming onClose={close} /> : null}
      {asked.value?.for === "report" ? (
        <Reporting message={asked.value.message} onClose={close} onDone={thank} />
      ) : null}
    </div>
  );
}

/** Whether the message is shown here. */
function jumpTo(id: string): boolean {
  const article = articleOf(id);
  article?.scrollIntoView({ block: "center" });
  article?.focus({ preventScroll: true });
  return article !== null;
}

async function askToDelete(message: WebMessage, onDone: (answer: ApiAnswer<unknown>) => void): Promise<void> {
  const question = { title: texts.deleteTitle, text: texts.deleteMore, action: texts.delete, danger: true };
  if (await confirm(question)) deleteSoon(message, onDone);
}

/** Messages that are about to be deleted, as long as that can be undone. */
function Deleting(): JSX.Element {
  return (
    <div role="status">
      {deletions.value.map(({ message }) => (
        <DeletedSoon key={message.id} message={message} />
      ))}
    </div>
  );
}

/** When it goes with the focus in it, the message gets the focus. */
function DeletedSoon({ message }: { readonly message: WebMessage }): JSX.Element {
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(
    () => () => {
      if (line.current?.contains(document.activeElement)) articleOf(message.id)?.focus();
    },
    [],
  );
  return (
    <p ref={line} class="said">
      {texts.deleting} <bdi>{message.text.slice(0, 60)}</bdi>{" "}
      <button type="button" class="button quiet" onClick={() => keepMessage(message.id)}>
        {texts.undo}
      </button>
    </p>
  );
}

interface TopProps {
  readonly room: WebRoom;
  readonly showMembers: Signal<boolean>;
  /** Buttons. */
  readonly children: ComponentChildren;
}

function Top({ room: { name, topic }, showMembers, children }: TopProps): JSX.Element {
  return (
    <header class="top">
      <div class="place">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        {topic === "" ? null : (
          <p class="topic" dir="auto" title={topic}>
            {topic}
          </p>
        )}
      </div>
      <RoomSwitch />
      <ThemeSwitch />
      {children}
      <button
        type="button"
        class="button quiet members-button"
        aria-expanded={showMembers.value}
        onClick={() => {
          showMembers.value = !showMembers.value;
        }}
      >
        {texts.membersCount(presentCount.value)}
      </button>
    </header>
  );
}

/** What one should know before writing. */
function Standing({ room }: { readonly room: WebRoom }): JSX.Element {
  return (
    <>
      {wire.value === "lost" ? (
        <div role="alert" class="banner">
          <strong>{texts.offline}.</strong> {texts.offlineMore}
        </div>
      ) : null}
      {room.muted ? (
        <Notice kind="warn" title={texts.muted} live />
      ) : room.held ? (
        <Notice kind="info" title={texts.held} live />
      ) : null}
    </>
  );
}

function Typing(): JSX.Element {
  const names = [...typing.value.values()].map(({ name }) => name);
  const [one = "", other = ""] = names;
  const words =
    names.length === 0
      ? ""
      : names.length === 1
        ? texts.typingOne(one)
        : names.length === 2
          ? texts.typingTwo(one, other)
          : texts.typingMany;
  return <p class="typing">{words}</p>;
}

/** How long a notice stands, in ms. */
const SAID_MS = 20_000;

function useEnd(said: Signal<string>): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      said.value = "";
    }, SAID_MS);
    return () => clearTimeout(timer);
  }, [said.value]);
}

function useTitle(name: string): void {
  useEffect(() => {
    document.title = `${unseen.value === 0 ? "" : `(${unseen.value}) `}${name}`;
  }, [name, unseen.value]);
}
