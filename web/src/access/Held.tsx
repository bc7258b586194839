import type { JSX } from "preact";
import { path, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { Section } from "./Section.tsx";
import { type HeldRow, held } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";
import { Words } from "./Words.tsx";

const NAMED = 40;

const COLUMNS: readonly Column<HeldRow>[] = [
  { key: "guest", head: texts.guest, cell: ({ name }) => name, by: ({ name }) => name, rowHead: true },
  { key: "gateway", head: texts.gateway, cell: ({ gateway }) => gateway, by: ({ gateway }) => gateway, wide: true },
  { key: "text", head: texts.text, cell: ({ text, files }) => <Words text={text} files={files} /> },
  { key: "when", head: texts.when, cell: ({ atMs }) => <Time ms={atMs} />, by: ({ atMs }) => atMs, wide: true },
  { key: "actions", head: texts.actions, cell: Actions, stays: true },
];

function Actions({ id, name, text, files }: HeldRow): JSX.Element {
  const act = (what: "approve" | "reject"): void => void held.change(post(`/v1/admin/held${path([id, what])}`));
  const words = (text === "" ? files.join(", ") : text).slice(0, NAMED);
  return (
    <div class="row">
      <Button label={texts.approveOf(name, words)} onPress={() => act("approve")}>
        {texts.approve}
      </Button>
      <Button kind="danger" label={texts.rejectOf(name, words)} onPress={() => act("reject")}>
        {texts.reject}
      </Button>
    </div>
  );
}

/** What guests said and nobody has heard yet. */
export function Held(): JSX.Element {
  const rows = held.value.value?.held ?? [];
  return (
    <Section
      name={texts.heldMessages}
      about={texts.heldAbout}
      listing={held}
      columns={COLUMNS}
      rows={rows}
      keyOf={({ id }) => id}
      empty={texts.noHeld}
    >
      <p role="status">{texts.heldCount(rows.length)}</p>
    </Section>
  );
}
