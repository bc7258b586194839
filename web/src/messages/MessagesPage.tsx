import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import type { DropView, ExplainView, Story } from "../../../src/admin/views.ts";
import { type ApiProblem, get } from "../lib/api.ts";
import { goTo, linkTo, place } from "../lib/router.ts";
import { ProblemNotice } from "../parts/Notice.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import "./messages.css";
import { TestMessage } from "./TestMessage.tsx";
import { messageTexts as texts } from "./texts.ts";
import { Way } from "./Way.tsx";

/** So long nobody types before it is looked for. */
const TYPED_MS = 300;

/** What was said, and where it went. The address has what is looked for and which message is open. */
export function MessagesPage(): JSX.Element {
  const question = place.value.query.get("q") ?? "";
  const opened = Number(place.value.parts[0] ?? 0);
  const found = useSignal<ExplainView | null>(null);
  const problem = useSignal<ApiProblem | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    const ask = async (): Promise<void> => {
      const query = new URLSearchParams({ q: question });
      const answer = await get<ExplainView>(`/v1/admin/messages?${query}`, { signal: gone.signal });
      if (gone.signal.aborted) return;
      problem.value = answer.ok ? null : answer.problem;
      if (answer.ok) found.value = answer.value;
    };
    void ask();
    return () => gone.abort();
  }, [question]);
  return (
    <div class="page messages">
      <div class="head">
        <h1>{texts.title}</h1>
      </div>
      <Search key="search" question={question} />
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      {found.value === null ? (
        <p role="status">{texts.loading}</p>
      ) : (
        <Results found={found.value} question={question} opened={opened} />
      )}
      <TestMessage />
    </div>
  );
}

function Search({ question }: { readonly question: string }): JSX.Element {
  const id = useId();
  const typed = useSignal(question);
  useEffect(() => {
    if (typed.value.trim() === question) return;
    const timer = setTimeout(() => {
      goTo(linkTo(["messages"], { q: typed.value.trim() }), { replace: true });
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        goTo(linkTo(["messages"], { q: typed.value.trim() }));
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
  /** Number of the message whose way is shown; 0: none. */
  readonly opened: number;
}

function Results({ found: { stories, drops, more }, question, opened }: ResultsProps): JSX.Element {
  const isLoose = opened > 0 && !stories.some(({ seq }) => seq === opened);
  return (
    <section class="card stack" aria-labelledby="results-title">
      <h2 id="results-title">{question === "" ? texts.newest : texts.results}</h2>
      {isLoose ? <Way key={opened} seq={opened} /> : null}
      {stories.length === 0 ? <p role="status">{texts.none}</p> : null}
      <ul class="results" aria-label={texts.results}>
        {stories.map((story) => (
          <Result key={story.seq} story={story} question={question} isOpen={story.seq === opened} />
        ))}
      </ul>
      {more ? <p class="muted">{texts.more}</p> : null}
      {drops.length === 0 ? null : <Drops drops={drops} />}
    </section>
  );
}

interface ResultProps {
  readonly story: Story;
  readonly question: string;
  readonly isOpen: boolean;
}

function Result({ story, question, isOpen }: ResultProps): JSX.Element {
  const { seq, atMs, account, channel, by, event, words } = story;
  return (
    <li>
      <button
        type="button"
        class="result"
        aria-expanded={isOpen}
        onClick={() => goTo(linkTo(isOpen ? ["messages"] : ["messages", seq], { q: question }))}
      >
        <span class="who">{by === "" ? texts.nameless : by}</span>
        <span class="said">{words === "" ? texts.wordless : words}</span>
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
