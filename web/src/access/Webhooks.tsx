import type { JSX } from "preact";
import { del, path, post } from "../lib/api.ts";
import { count } from "../lib/format.ts";
import { Button } from "../parts/Button.tsx";
import { confirm } from "../parts/Dialog.tsx";
import { State } from "../parts/State.tsx";
import type { Column } from "../parts/Table.tsx";
import { Section } from "./Section.tsx";
import { type WebhookRow, webhooks } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

const KINDS = { active: "good", failing: "warn", disabled: "bad" } as const;

const COLUMNS: readonly Column<WebhookRow>[] = [
  { key: "name", head: texts.name, cell: ({ name }) => name, by: ({ name }) => name, rowHead: true },
  { key: "account", head: texts.account, cell: ({ account }) => account, by: ({ account }) => account },
  { key: "address", head: texts.address, cell: ({ url }) => url, by: ({ url }) => url, wide: true },
  {
    key: "state",
    head: texts.state,
    cell: ({ state, why }) => (
      <>
        <State kind={KINDS[state]} word={state} />
        {why === null ? null : <p class="hint">{why}</p>}
      </>
    ),
    by: ({ state }) => state,
  },
  { key: "pending", head: texts.pending, cell: (row) => count(row.pending), by: (row) => row.pending, numeric: true },
  { key: "actions", head: texts.actions, cell: Actions, stays: true },
];

const addressOf = ({ account, name }: WebhookRow): string => `/v1/admin/webhooks${path([account, name])}`;

function Actions(row: WebhookRow): JSX.Element {
  const remove = async (): Promise<void> => {
    const title = texts.removeTitle(row.name);
    if (await confirm({ title, text: texts.removeText, action: texts.remove, danger: true }))
      await webhooks.change(del(addressOf(row)));
  };
  return (
    <div class="row">
      {row.state === "active" ? null : (
        <Button
          kind="quiet"
          label={texts.enableOf(row.name)}
          onPress={() => void webhooks.change(post(`${addressOf(row)}/enable`))}
        >
          {texts.enable}
        </Button>
      )}
      <Button kind="danger" label={texts.removeOf(row.name)} onPress={() => void remove()}>
        {texts.remove}
      </Button>
    </div>
  );
}

/** Of all accounts of the HTTP API. */
export function Webhooks(): JSX.Element {
  return (
    <Section
      name={texts.webhooks}
      about={texts.webhooksAbout}
      listing={webhooks}
      columns={COLUMNS}
      rows={webhooks.value.value?.webhooks ?? []}
      keyOf={({ account, name }) => `${account}/${name}`}
      empty={texts.noWebhooks}
    />
  );
}
