import type { ClusterView } from "../admin/views.ts";
import { ago } from "../lib/ago.ts";
import { printable } from "../lib/printable.ts";
import { type Cell, type Screen, table } from "./table.ts";

/** Which machine this is, in one line of the status. Pure. */
export function clusterLine({ node, nodes, hasVoice, skipped, gaps }: ClusterView): string {
  const cut = hasVoice ? "" : " The servers of the log do not answer it, or it cannot apply what they have.";
  const shares = nodes
    .map(({ name, accounts }) => `${printable(name)} runs ${counted(accounts, "account")}`)
    .join(", ");
  const faults =
    skipped + gaps === 0
      ? ""
      : ` Of the stream it skipped ${counted(skipped, "message")}, and found ${counted(gaps, "gap")}.`;
  return `This machine is ${printable(node)}: ${shares || "it does not take part yet"}.${cut}${faults}`;
}

/** All machines that share a log, and what each of them runs. Pure. */
export function clusterText(view: ClusterView, { nowMs, screen }: { nowMs: number; screen: Screen }): string {
  const machines = view.nodes.map(({ name, accounts, isAlike }) => [
    name,
    String(accounts),
    name === view.node ? "of this machine" : isAlike ? "the same" : "ANOTHER ONE",
  ]);
  const accounts = view.accounts.map(({ account, node, sinceMs }) => [
    account,
    node ?? "nobody yet",
    sinceMs === null ? "" : ago(nowMs - sinceMs),
  ]);
  return [
    `${clusterLine(view)}\n`,
    table(cells(["MACHINE", "ACCOUNTS", "CONFIGURATION"], machines), screen),
    table(cells(["ACCOUNT", "RUNS AT", "FOR"], accounts), screen),
  ].join("\n");
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const cells = (titles: readonly string[], rows: readonly (readonly string[])[]): readonly (readonly Cell[])[] => [
  titles.map((text): Cell => ({ text, colour: "bold" })),
  ...rows.map((row) => row.map((text): Cell => ({ text }))),
];
