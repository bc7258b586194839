import type { Cell } from "./judge.ts";
import { type Network, NETWORKS, type Reader } from "./place.ts";
import { DEEDS, SAYINGS } from "./things.ts";
import type { Verdict } from "./verdict.ts";

const TITLES: Readonly<Record<Reader, string>> = {
  irc: "IRC",
  xmpp: "XMPP",
  matrix: "Matrix",
  mattermost: "Mattermost",
  discord: "Discord",
  slack: "Slack",
  telegram: "Telegram",
  web: "Web chat",
  api: "HTTP API",
  plain: "HTTP API without `FullEvents`",
};

const START = "<!-- generated: what was seen (UPDATE_CROSSING=1 vitest run test/crossing) -->";
const END = "<!-- end of generated -->";

/** The page with other tables. */
export function inserted(page: string, tables: string): string {
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`the page lacks "${START}" or "${END}" after it`);
  return `${page.slice(0, from + START.length)}\n\n${tables}\n\n${page.slice(to)}`;
}

/** A table for each destination: a line for each thing, a column for each network it comes from. */
export function tablesOf(cells: readonly Cell[]): string {
  const readers = [...new Set(cells.map(({ to }) => to))];
  return readers
    .map((to) =>
      tableOf(
        to,
        cells.filter((cell) => cell.to === to),
      ),
    )
    .join("\n\n");
}

function tableOf(to: Reader, cells: readonly Cell[]): string {
  const origins = NETWORKS.filter((from) => cells.some((cell) => cell.from === from));
  const rows = [...SAYINGS, ...DEEDS].flatMap(({ thing, title }) => {
    const row = origins.map((from) => textOf(cells.find((cell) => cell.thing === thing && cell.from === from)));
    return row.every((text) => text === "") ? [] : [lineOf([title, ...row])];
  });
  const heads = lineOf(["", ...origins.map((from: Network) => `from ${TITLES[from]}`)]);
  return [`### To ${TITLES[to]}`, "", heads, `|${"---|".repeat(origins.length + 1)}`, ...rows].join("\n");
}

const lineOf = (parts: readonly string[]): string => `| ${parts.join(" | ")} |`;

function textOf(cell: Cell | undefined): string {
  return cell === undefined || cell.verdict === null ? "" : wordsOf(cell.verdict);
}

function wordsOf(verdict: Verdict): string {
  switch (verdict.is) {
    case "native":
      return "native";
    case "words":
      return `in words: \`${verdict.as.replaceAll("|", "\\|").replaceAll("`", "'")}\``;
    case "bare":
      return "its text only";
    case "nothing":
      return "not shown";
  }
}
