import { type Cell, table } from "../../../src/cli/table.ts";

/** What differs from run to run becomes a word in these brackets. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "‹time›"],
  [/\b(?:\d{4}-\d\d-\d\d )?\d\d:\d\d(?::\d\d)?[+-]\d\d:\d\d\b/gu, "‹time›"],
  [/\b\d+ (?:d|h|min|s)\b(?: \d+ (?:h|min)\b)?/gu, "‹duration›"],
  [/(?<![\d.])(?!16\.0 )\d+(?:\.\d+)? (?:MiB|GiB)/gu, "‹size›"],
  // This server stands for Discord's own.
  [/127\.0\.0\.1:\d+(?= > the application)/gu, "discord.com/developers/applications"],
  [/http:\/\/127\.0\.0\.1:\d+(?=\/oauth2\/)/gu, "https://discord.com"],
  [/127\.0\.0\.1:\d+/gu, "127.0.0.1:‹port›"],
  [/\bRialto \d+\.\d+\.\d+\S*/gu, "Rialto ‹version›"],
  [/\b\d+(?= so far)/gu, "‹number›"],
  [/(?<=head )\d+/gu, "‹number›"],
  [/\b\d+(?= accepted)/gu, "‹number›"],
  [/(?<=late by )\d+(?= ms)/gu, "‹number›"],
  [/\b\d+ messages? waits?\b/gu, "‹number› messages wait"],
  [/(?<=ID:|client_id=)\d{15,20}/gu, "‹id›"],
  [/from ‹time›(?! to)/gu, "from ‹time› to ‹time›"],
  [/"(retryInS|seconds|waiting|repeated)":\d+/gu, '"$1":"‹number›"'],
];

/** `home`: a folder of this run. */
export function masked(text: string, home: string): string {
  return MASKS.reduce(
    (rest, [pattern, word]) => rest.replaceAll(pattern, word),
    home === "" ? text : text.replaceAll(home, "‹data folder›"),
  );
}

/** A busy machine is late; that belongs to none of the situations. */
const LATE = /the event loop/u;

const TITLES = ["STATE", "FOR", "IN", "OUT", "HEARD", "WAITING", "OLDEST", "WHY"];
/** Columns of what was counted up to then, 0 as well. */
const COUNTS: ReadonlySet<number> = new Set([TITLES.indexOf("IN") + 1, TITLES.indexOf("OUT") + 1]);

/** The output of `rialto status`: masked, with the columns as wide as they need to be then. */
export function terminalOf(output: string, home: string): string {
  const lines = output.trimEnd().split("\n");
  const begin = lines.findIndex((line) => /^\s+STATE\s+FOR /u.test(line));
  if (begin < 0) throw new Error(`no table in:\n${output}`);
  const end = lines.indexOf("", begin);
  const head = lines[begin] ?? "";
  const starts = [0, ...TITLES.map((title) => head.indexOf(title))];
  const rows = lines.slice(begin, end < 0 ? undefined : end).map((line) =>
    starts.map((from, at): Cell => {
      const text = line.slice(from, starts[at + 1]).trimEnd();
      return { text: COUNTS.has(at) && /^\d+$/u.test(text) ? "‹number›" : cellOf(text, home) };
    }),
  );
  const above = lines.slice(0, begin).filter((line, at) => !LATE.test(line) && !LATE.test(lines[at - 1] ?? ""));
  const below = end < 0 ? [] : lines.slice(end);
  return [
    masked(above.join("\n"), home),
    table(rows, { width: Infinity, colour: false }).trimEnd(),
    ...below.map((line) => masked(line, home).replaceAll(/ {2,}/gu, "  ")),
  ].join("\n");
}

/** How many wait is a number of the moment. */
function cellOf(text: string, home: string): string {
  return /^[1-9]\d*$/u.test(text) ? "‹number›" : masked(text, home);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** The words of the status page, a line for each of its lines; cells of a table stand apart. */
export function pageOf(html: string, home: string): string {
  const body = html.slice(html.indexOf("<h1>"));
  const lines = body.split(/\n|(?=<(?:li|tr|p|h\d)\b)/u).map((line) =>
    line
      .replaceAll(/<t[dh]>/gu, "\t")
      .replaceAll(/<[^>]*>/gu, "")
      .replaceAll(/&(lt|gt|quot|#39|amp);/gu, (_, name: string) => ENTITIES[name] ?? "")
      .split("\t")
      .filter((cell, at) => at > 0 || cell.trim() !== "")
      .map((cell) => cellOf(cell.trim(), home))
      .join(" | "),
  );
  return lines
    .filter((line) => line.trim() !== "" && !LATE.test(line.replace(/^Runs .*?late by.*$/u, "Runs")))
    .join("\n");
}
