import type { Reloaded } from "../app/reload.ts";
import { printable } from "../lib/printable.ts";
import { formatProblems } from "../config/problem-lines.ts";

/** What a reload came to, for people, with the exit code of the command. Pure. */
export function reloadText(reloaded: Reloaded): { readonly text: string; readonly code: number } {
  if (reloaded.is === "refused") {
    const refusal = "refused: the old configuration stays in use\n";
    return { text: `${formatProblems(reloaded.problems)}${refusal}`, code: 1 };
  }
  const { needsRestart } = reloaded;
  const first = reloaded.is === "unchanged" ? "nothing has changed" : `applied: ${movedText(reloaded.moved)}`;
  const later = needsRestart.length === 0 ? [] : [`needs a restart: ${needsRestart.join(", ")}`];
  return { text: [first, ...later].map((line) => `${printable(line)}\n`).join(""), code: 0 };
}

function movedText({ accounts, gateways, general }: Extract<Reloaded, { is: "applied" }>["moved"]): string {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ...Object.entries(accounts).map(([side, names]) => [`accounts ${side}`, names] as const),
    ...Object.entries(gateways).map(([side, names]) => [`gateways ${side}`, names] as const),
    ["settings", general],
  ];
  const told = lists.filter(([, names]) => names.length > 0);
  return told.length === 0
    ? "nothing that is in use"
    : told.map(([what, names]) => `${what}: ${names.join(", ")}`).join("; ");
}
