import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ProblemNotice } from "../parts/Notice.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import type { Listing } from "./listing.ts";
import { accessTexts as texts } from "./texts.ts";

interface SectionProps<Row> {
  readonly name: string;
  readonly about: string;
  readonly listing: Pick<Listing<unknown>, "value" | "problem" | "load">;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
  /** Below the table. */
  readonly children?: ComponentChildren;
}

/** One of the tables of this page. */
export function Section<Row>({ listing, ...props }: SectionProps<Row>): JSX.Element {
  useEffect(() => void listing.load(), []);
  const isThere = listing.value.value !== null;
  return (
    <section class="stack" aria-label={props.name}>
      {listing.problem.value === null ? null : <ProblemNotice problem={listing.problem.value} />}
      <Table
        caption={props.name}
        columns={props.columns}
        rows={props.rows}
        keyOf={props.keyOf}
        empty={isThere ? props.empty : texts.loading}
      />
      <div class="row">
        {props.children}
        <p class="hint">{props.about}</p>
      </div>
    </section>
  );
}
