import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { GuestAct, GuestActed } from "../../../src/contract/guests.ts";
import { path, post } from "../lib/api.ts";
import { count } from "../lib/format.ts";
import { Button } from "../parts/Button.tsx";
import { confirm } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { fits } from "../parts/filter.ts";
import { State } from "../parts/State.tsx";
import type { Column } from "../parts/Table.tsx";
import { Section } from "./Section.tsx";
import { type GuestRow, guests } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

/** So many rows at once: a room may have a thousand guests. */
const ROWS_MAX = 200;

const COLUMNS: readonly Column<GuestRow>[] = [
  { key: "name", head: texts.name, cell: ({ name }) => name, by: ({ name }) => name, rowHead: true },
  { key: "gateway", head: texts.gateway, cell: ({ gateway }) => gateway, by: ({ gateway }) => gateway, wide: true },
  {
    key: "present",
    head: texts.present,
    cell: ({ present }) => <State kind={present ? "good" : "none"} word={present ? texts.here : texts.away} />,
    by: ({ present }) => Number(present),
  },
  {
    key: "messages",
    head: texts.messages,
    cell: (row) => count(row.messages),
    by: (row) => row.messages,
    numeric: true,
  },
  { key: "state", head: texts.state, cell: StateOf, by: stateOf },
];

function stateOf({ banned, muted, held }: GuestRow): string {
  if (banned) return texts.banned;
  if (muted) return texts.muted;
  return held ? texts.held : texts.free;
}

function StateOf(row: GuestRow): JSX.Element {
  const kind = row.banned ? "bad" : row.muted || row.held ? "warn" : "good";
  return <State kind={kind} word={stateOf(row)} />;
}

const doing = async ({ id }: GuestRow, act: GuestAct): Promise<GuestActed | null> =>
  await guests.change(post<GuestActed>(`/v1/admin/guests${path([id, act])}`));

async function ban(row: GuestRow): Promise<void> {
  const question = { title: texts.banTitle(row.name), text: texts.banText, action: texts.ban, danger: true };
  if (await confirm(question)) await doing(row, "ban");
}

/** With the focus on the same button, whatever it says. */
function Actions({ row, purge }: { readonly row: GuestRow; readonly purge: () => void }): JSX.Element {
  const { name, muted, banned } = row;
  return (
    <div class="row">
      <Button
        kind="quiet"
        label={muted ? texts.unmuteOf(name) : texts.muteOf(name)}
        onPress={() => void doing(row, muted ? "unmute" : "mute")}
      >
        {muted ? texts.unmute : texts.mute}
      </Button>
      <Button
        kind="quiet"
        label={banned ? texts.unbanOf(name) : texts.banOf(name)}
        onPress={() => void (banned ? doing(row, "unban") : ban(row))}
      >
        {banned ? texts.unban : texts.ban}
      </Button>
      <Button kind="danger" label={texts.purgeOf(name)} onPress={purge}>
        {texts.purge}
      </Button>
    </div>
  );
}

/** In a steady order, so that no button moves away under somebody's hand. */
function shownOf(found: readonly GuestRow[]): readonly GuestRow[] {
  const newest = found.toSorted((a, b) => b.joinedMs - a.joinedMs || a.id.localeCompare(b.id));
  return newest.slice(0, ROWS_MAX);
}

/** Who joined by an invite, and what can be done about them. */
export function Guests(): JSX.Element {
  const wanted = useSignal("");
  const said = useSignal("");
  const rows = guests.value.value?.guests ?? [];
  const found = rows.filter(({ name, gateway }) => fits(`${name} ${gateway}`, wanted.value));
  const purge = async (row: GuestRow): Promise<void> => {
    const { name, gateway } = row;
    const question = { title: texts.purgeTitle(name), text: texts.purgeText(gateway), action: texts.purge };
    if (!(await confirm({ ...question, danger: true }))) return;
    const done = await doing(row, "purge");
    said.value = done === null ? "" : texts.purged(name, done.deleted);
  };
  const actions: Column<GuestRow> = {
    key: "actions",
    head: texts.actions,
    stays: true,
    cell: (row) => <Actions row={row} purge={() => void purge(row)} />,
  };
  const more = found.length - ROWS_MAX;
  return (
    <Section
      name={texts.guests}
      about={texts.guestsAbout}
      listing={guests}
      columns={[...COLUMNS, actions]}
      rows={shownOf(found)}
      keyOf={({ id }) => id}
      empty={texts.noGuests}
    >
      <Field label={texts.findGuest}>
        {(input) => (
          <input
            {...input}
            class="find"
            type="search"
            value={wanted.value}
            onInput={(event) => (wanted.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <p role="status">{said.value}</p>
      {more > 0 ? <p class="hint">{texts.moreGuests(more)}</p> : null}
    </Section>
  );
}
