import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { DropView, ExplainView, Story } from "../../../src/admin/views.ts";
import { type ApiProblem, get } from "../lib/api.ts";
import { connection } from "../lib/live.ts";
import { goTo, linkTo, place } from "../lib/router.ts";
import { ProblemNotice } from "../parts/Notice.tsx";
import { State } from "../parts/State.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import "./messages.css";
import { addressOf, type MessageChoice, choiceIn, Choices, queryOf } from "./Choices.tsx";
import { TestMessage } from "./TestMessage.tsx";
import { messageTexts as texts, overallTexts } from "./texts.ts";
import { STATE_KINDS } from "./fates.ts";
import { Way } from "./Way.tsx";

/** So long nobody types before it is looked for. */
const TYPED_MS = 300;

/** What was said, and where it went. The address has what is looked for and which message is open. */
export function MessagesPage(): JSX.Element {
  const question = place.value.query.get("q") ?? "";
  const only = choiceIn(place.value.query);
  const asked = queryOf(question, only);
  const opened = Number(place.value.parts[0] ?? 0);
  const found = useSignal<ExplainView | null>(null);
  const problem = useSignal<ApiProblem | null>(null);
  /** How often it was asked for once more. */
  const again = useSignal(0);
  useEffect(() => {
    const gone = new AbortController();
    const ask = async (): Promise<void> => {
      const answer = await get<ExplainView>(`/v1/admin/messages?${new URLSearchParams(asked)}`, {
        signal: gone.signal,
      });
      if (gone.signal.aborted) return;
      problem.value = answer.ok ? null : answer.problem;
      // What was found for other words is no answer to these.
      found.value = answer.ok ? answer.value : null;
    };
    void ask();
    return () => gone.abort();
  }, [JSON.stringify(asked), again.value]);
  useEffect(() => {
    if (connection.value === "live" && problem.value !== null) again.value += 1;
  }, [connection.value]);
  return (
    <div class="page messages">
      <div class="head">
        <h1>{texts.title}</h1>
      </div>
      <Search key="search" question={question} only={only} onAsk={() => (again.value += 1)} />
      <Choices only={only} question={question} />
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      {found.value === null ? (
        problem.value === null ? (
          <p role="status">{texts.loading}</p>
        ) : null
      ) : (
        <Results found={found.value} question={question} only={only} opened={opened} />
      )}
      <TestMessage />
    </div>
  );
}

interface SearchProps {
  readonly question: string;
  readonly only: MessageChoice;
  /** Also for the same once more. */
  readonly onAsk: () => void;
}

function Search({ question, only, onAsk }: SearchProps): JSX.Element {
  const id = useId();
  const typed = useSignal(question);
  /** What this box has asked for; all else comes from the address. */
  const asked = useRef(question);
  const ask = (replace: boolean): void => {
    asked.current = typed.value.trim();
    goTo(linkTo(["messages"], addressOf(asked.current, only)), { replace });
  };
  useEffect(() => {
    if (question === asked.current) return;
    asked.current = question;
    typed.value = question;
  }, [question]);
  useEffect(() => {
    if (typed.value.trim() === asked.current) return;
    const timer = setTimeout(() => ask(true), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.value.trim() === question) onAsk();
        else ask(false);
      }}
    >
      <label for={id}>{texts.search}</label>
      <input
        id={id}
        type="search"
        maxLength={1000}
        placeholder={texts.searchHint}
        value={typed.value}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
    </form>
  );
}

interface ResultsProps {
  readonly found: ExplainView;
  readonly question: string;
  readonly only: MessageChoice;
  /** Number of the message whose way is shown; 0: none. */
  readonly opened: number;
}

function Results({ found: { stories, drops, more }, question, only, opened }: ResultsProps): JSX.Element {
  const isLoose = opened > 0 && !stories.some(({ seq }) => seq === opened);
  return (
    <section class="card stack" aria-labelledby="results-title">
      <h2 id="results-title">{question === "" ? texts.newest : texts.results}</h2>
      {isLoose ? <Way key={opened} seq={opened} /> : null}
      {stories.length === 0 ? <p role="status">{texts.none}</p> : null}
      <ul class="results" aria-label={texts.results}>
        {stories.map((story) => (
          <Result key={story.seq} story={story} address={addressOf(question, only)} isOpen={story.seq === opened} />
        ))}
      </ul>
      {more ? <p class="muted">{texts.more}</p> : null}
      {drops.length === 0 ? null : <Drops drops={drops} />}
    </section>
  );
}

interface ResultProps {
  readonly story: Story;
  /** What is looked for. */
  readonly address: Readonly<Record<string, string>>;
  readonly isOpen: boolean;
}

function Result({ story, address, isOpen }: ResultProps): JSX.Element {
  const { seq, atMs, account, channel, by, event, words, state } = story;
  return (
    <li>
      <button
        type="button"
        class="result"
        aria-expanded={isOpen}
        onClick={() => goTo(linkTo(isOpen ? ["messages"] : ["messages", seq], address))}
      >
        <span class="who">{by === "" ? texts.nameless : by}</span>
        <span class="said">{words === "" ? texts.wordless : words}</span>
        {state === "none" ? <span /> : <State kind={STATE_KINDS[state]} word={overallTexts[state]} />}
        <span class="muted">
          {event === "" ? null : `${texts.event(event)} · `}
          {texts.in(channel, account)} · <Time ms={atMs} />
        </span>
      </button>
      {isOpen ? <Way key={seq} seq={seq} first={story} /> : null}
    </li>
  );
}

const DROPS: readonly Column<DropView>[] = [
  { key: "when", head: texts.when, cell: ({ atMs }) => <Time ms={atMs} exact /> },
  { key: "where", head: texts.where, cell: ({ account, channel }) => texts.in(channel, account) },
  { key: "who", head: texts.who, cell: ({ by }) => by },
  { key: "said", head: texts.said, cell: ({ text }) => text },
  { key: "why", head: texts.why, cell: ({ why, rule }) => (rule === undefined ? why : `${why} (${rule})`) },
];

function Drops({ drops }: { readonly drops: readonly DropView[] }): JSX.Element {
  return <Table caption={texts.drops} columns={DROPS} rows={drops} keyOf={(drop) => JSON.stringify(drop)} />;
}
