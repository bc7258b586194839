import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId } from "preact/hooks";
import type { Destination, Story } from "../../../src/admin/views.ts";
import { type ApiProblem, get, path } from "../lib/api.ts";
import { moment } from "../lib/format.ts";
import { ProblemNotice } from "../parts/Notice.tsx";
import { State } from "../parts/State.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { Again } from "./Again.tsx";
import { canGoAgain, isUnderWay, kindOf, pollMs } from "./fates.ts";
import { fateTexts, messageTexts as texts } from "./texts.ts";

const columns = (story: Story, onSent: () => void): readonly Column<Destination>[] => [
  { key: "to", head: texts.destination, cell: (row) => texts.in(row.channel, row.account), rowHead: true },
  { key: "gateway", head: texts.gateway, cell: (row) => row.gateway },
  { key: "state", head: texts.state, cell: (row) => <State kind={kindOf(row)} word={fateTexts[row.state]} /> },
  {
    key: "why",
    head: texts.why,
    cell: (row) => (
      <>
        {whyOf(row)}
        {canGoAgain(story, row) ? <Again seq={story.seq} row={row} onSent={onSent} /> : null}
      </>
    ),
  },
  { key: "ids", head: texts.ids, cell: ({ refs }) => <Ids refs={refs} /> },
];

/** Rialto may be starting. */
const RETRY_MS = 5_000;

interface WayProps {
  readonly seq: number;
  /** As it is known already. */
  readonly first?: Story | null;
  readonly title?: string;
}

/** One message from where it was heard to all its destinations; it follows what becomes of it. */
export function Way({ seq, first = null, title = texts.way }: WayProps): JSX.Element {
  const story = useSignal<Story | null>(first);
  const problem = useSignal<ApiProblem | null>(null);
  /** When it was last sent again; 0: never. */
  const sentMs = useSignal(0);
  const id = useId();
  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const answer = await get<Story>(`/v1/admin/messages${path([seq])}`, { signal: gone.signal });
      if (gone.signal.aborted) return;
      problem.value = answer.ok ? null : answer.problem;
      if (answer.ok) story.value = answer.value;
      if (story.value !== null && isUnderWay(story.value)) {
        timer = setTimeout(() => void ask(), pollMs({ atMs: Math.max(story.value.atMs, sentMs.value) }, Date.now()));
      } else if (!answer.ok && answer.problem.status !== 404) {
        timer = setTimeout(() => void ask(), RETRY_MS);
      }
    };
    void ask();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [seq, sentMs.value]);
  return (
    <section class="way stack" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      {story.value === null ? (
        <p role="status">{texts.loading}</p>
      ) : (
        <Told story={story.value} onSent={() => (sentMs.value = Date.now())} />
      )}
    </section>
  );
}

interface ToldProps {
  readonly story: Story;
  readonly onSent: () => void;
}

function Told({ story, onSent }: ToldProps): JSX.Element {
  const { seq, atMs, by, account, channel, refs, about, gone, destinations } = story;
  return (
    <>
      <p>
        {texts.heard}: {by === "" ? texts.nameless : by}, {texts.in(channel, account)}, <Time ms={atMs} exact />,{" "}
        {texts.accepted(seq)}
      </p>
      {gone ? <p>{texts.gone}</p> : null}
      {about === null ? null : (
        <p>
          {texts.about(about.is, about.seq)} {about.seq === null ? null : about.seq}
        </p>
      )}
      {refs.length === 0 ? null : (
        <p>
          {texts.refs}: <Ids refs={refs} />
        </p>
      )}
      <Table
        caption={texts.destinations}
        captionHidden
        columns={columns(story, onSent)}
        rows={destinations}
        keyOf={(row) => JSON.stringify([row.gateway, row.account, row.channel])}
        empty={texts.nowhere}
      />
    </>
  );
}

function whyOf({ why, remedy, retryMs, tries, losses }: Destination): ComponentChildren {
  const lines = [
    why,
    remedy,
    tries === null || tries === 0 ? null : texts.tries(tries),
    retryMs === null ? null : texts.again(moment(retryMs)),
    ...losses.map(({ what, note }) => texts.lost(what, note)),
  ].filter((line) => line !== null);
  return lines.map((line, index) => <p key={index}>{line}</p>);
}

function Ids({ refs }: { readonly refs: readonly string[] }): JSX.Element {
  return (
    <span class="ids">
      {refs.map((ref) => (
        <code key={ref}>{ref}</code>
      ))}
    </span>
  );
}
