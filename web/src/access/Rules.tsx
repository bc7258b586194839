import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { GuestRoomView } from "../../../src/http/admin/guest-office.ts";
import { Button } from "../parts/Button.tsx";
import type { Column } from "../parts/Table.tsx";
import { RulesForm } from "./RulesForm.tsx";
import { Section } from "./Section.tsx";
import { rooms } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

const COLUMNS: readonly Column<GuestRoomView>[] = [
  { key: "gateway", head: texts.gateway, cell: ({ gateway }) => gateway, by: ({ gateway }) => gateway, rowHead: true },
  { key: "account", head: texts.account, cell: ({ account }) => account, by: ({ account }) => account, wide: true },
  { key: "hold", head: texts.holdHead, cell: ({ hold }) => (hold ? texts.held : texts.atOnce) },
  { key: "slow", head: texts.slowHead, cell: ({ slowModeS }) => texts.slowOf(slowModeS), by: (row) => row.slowModeS },
  { key: "links", head: texts.linksHead, cell: (row) => texts.linksOf(row.linksAfter), by: (row) => row.linksAfter },
];

/** What guests may do in each room. */
export function Rules(): JSX.Element {
  const chosen = useSignal<GuestRoomView | null>(null);
  const actions: Column<GuestRoomView> = {
    key: "actions",
    head: texts.actions,
    stays: true,
    cell: (room) => (
      <Button label={texts.changeOf(room.gateway)} onPress={() => (chosen.value = room)}>
        {texts.change}
      </Button>
    ),
  };
  return (
    <Section
      name={texts.rules}
      about={texts.rulesAbout}
      listing={rooms}
      columns={[...COLUMNS, actions]}
      rows={rooms.value.value?.rooms ?? []}
      keyOf={({ gateway }) => gateway}
      empty={texts.noRooms}
    >
      {chosen.value === null ? null : <RulesForm room={chosen.value} onClose={() => (chosen.value = null)} />}
    </Section>
  );
}
