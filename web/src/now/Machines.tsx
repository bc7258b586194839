import type { JSX } from "preact";
import type { ClusterView } from "../../../src/admin/views.ts";
import { Table } from "../parts/Table.tsx";
import { nowTexts as texts } from "./texts.ts";

/** Those that share a log, and how many accounts each of them runs. */
export function Machines({ cluster: { node, nodes, hasVoice } }: { readonly cluster: ClusterView }): JSX.Element {
  const alike = ({ name, isAlike }: ClusterView["nodes"][number]): string =>
    name === node ? texts.here : isAlike ? texts.alike : texts.otherwise;
  return (
    <section class="card stack">
      {hasVoice ? null : <p role="status">{texts.unheard}</p>}
      <Table
        caption={texts.machines}
        columns={[
          { key: "name", head: texts.machine, cell: ({ name }) => name, by: ({ name }) => name, rowHead: true },
          { key: "accounts", head: texts.accounts, cell: ({ accounts }) => accounts, numeric: true },
          { key: "alike", head: texts.configuration, cell: alike },
        ]}
        rows={nodes}
        keyOf={({ name }) => name}
      />
    </section>
  );
}
