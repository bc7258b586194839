import type { JSX } from "preact";
import { del, path } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { Section } from "./Section.tsx";
import { type ReportRow, reports } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";
import { Words } from "./Words.tsx";

const settle = async (id: string): Promise<void> => void (await reports.change(del(`/v1/admin/reports${path([id])}`)));

const COLUMNS: readonly Column<ReportRow>[] = [
  {
    key: "author",
    head: texts.author,
    cell: ({ author }) => (author === "" ? texts.dash : author),
    by: ({ author }) => author,
    rowHead: true,
  },
  { key: "gateway", head: texts.gateway, cell: ({ gateway }) => gateway, by: ({ gateway }) => gateway, wide: true },
  { key: "text", head: texts.text, cell: ({ text }) => (text === "" ? texts.goneText : <Words text={text} />) },
  { key: "why", head: texts.why, cell: ({ why }) => <Words text={why} /> },
  { key: "by", head: texts.reportedBy, cell: ({ by }) => by, by: ({ by }) => by, wide: true },
  { key: "when", head: texts.when, cell: ({ atMs }) => <Time ms={atMs} />, by: ({ atMs }) => atMs, wide: true },
  {
    key: "actions",
    head: texts.actions,
    stays: true,
    cell: ({ id, by, why }) => (
      <Button label={texts.settleOf(by, why)} onPress={() => void settle(id)}>
        {texts.settle}
      </Button>
    ),
  },
];

/** By guests, of anybody's messages. */
export function Reports(): JSX.Element {
  return (
    <Section
      name={texts.reports}
      about={texts.reportsAbout}
      listing={reports}
      columns={COLUMNS}
      rows={reports.value.value?.reports ?? []}
      keyOf={({ id }) => id}
      empty={texts.noReports}
    />
  );
}
