import type { Destination, DropView, ExplainView, Story } from "../admin/views.ts";
import { ago } from "../lib/ago.ts";
import { localTime } from "../lib/local-time.ts";
import { printable, shorten } from "../lib/printable.ts";
import { type Cell, type Colour, paint, type Screen, table } from "./table.ts";

export interface ExplainLook {
  readonly nowMs: number;
  readonly screen: Screen;
  /** Whether the ids of networks are shown. */
  readonly ids: boolean;
}

/** The paths of messages, for a terminal. Pure. */
export function explainText({ stories, drops, more }: ExplainView, look: ExplainLook): string {
  if (stories.length + drops.length === 0) {
    return more
      ? "Nothing was found in the newest part of the log; older messages were not searched.\n"
      : "Nothing was found: there is no such message in the log.\n";
  }
  const shown = [...stories.map((story) => storyText(story, look)), ...drops.map((drop) => dropText(drop, look))].join(
    "\n",
  );
  return more ? `${shown}\nThere may be more: give more of its words, or an id.\n` : shown;
}

function storyText(story: Story, look: ExplainLook): string {
  const { nowMs, screen } = look;
  const { seq, atMs, account, channel, by, event, words, about, gone, refs, destinations } = story;
  const kind = event === "" ? "" : ` (${printable(event)})`;
  const acts =
    about === null ? "" : `\n  ${about.is} of ${about.seq === null ? "an unknown message" : `no. ${about.seq}`}`;
  const ids = look.ids && refs.length > 0 ? `\n  known there as ${refs.map((ref) => printable(ref)).join(", ")}` : "";
  const lost = gone ? "\n  The message itself was deleted from the log." : "";
  const said = `  ${printable(by)} in ${printable(account)} ${printable(channel)}: ${printable(words)}`;
  const head = `${paint(`no. ${seq}`, "bold", screen)}${kind} ${localTime(atMs)}, ${ago(nowMs - atMs)} ago
${shorten(said, screen.width)}${acts}${ids}${lost}`;
  if (destinations.length === 0) return `${head}\n  With the current configuration it goes nowhere.\n`;
  const rows = destinations.flatMap((destination) => rowsOf(destination, look));
  const copies = look.ids ? destinations.map(copiesText) : [];
  return `${head}\n${table(rows, screen)}${copies.join("")}`;
}

/** On a line of their own, whole: people copy ids. */
function copiesText({ account, channel, refs }: Destination): string {
  if (refs.length === 0) return "";
  return `  ids in ${printable(account)} ${printable(channel)}: ${refs.map((ref) => printable(ref)).join(", ")}\n`;
}

function dropText(drop: DropView, look: ExplainLook): string {
  const { nowMs, screen } = look;
  const { atMs, account, channel, by, event, text, refs, why, rule } = drop;
  const kind = event === "" ? "" : ` (${printable(event)})`;
  const ids = look.ids && refs.length > 0 ? `\n  known there as ${refs.map((ref) => printable(ref)).join(", ")}` : "";
  const matched = rule === undefined ? "" : `: ${printable(rule)}`;
  const said = `  ${printable(by)} in ${printable(account)} ${printable(channel)}: ${printable(text)}`;
  return `${paint("not relayed", "yellow", screen)}${kind} ${localTime(atMs)}, ${ago(nowMs - atMs)} ago
${shorten(said, screen.width)}${ids}
  ${why}${matched}
`;
}

function rowsOf(destination: Destination, { nowMs }: ExplainLook): readonly (readonly Cell[])[] {
  const { gateway, account, channel, state, why, remedy, retryMs, tries, losses } = destination;
  const again = retryMs === null || retryMs <= nowMs ? [] : [`again in ${ago(retryMs - nowMs)}`];
  const times = tries === null || tries === 0 ? [] : [`tried ${tries} ${tries === 1 ? "time" : "times"}`];
  const said = [...(why === null ? [] : [why]), ...times, ...again].join("; ");
  const first: readonly Cell[] = [
    { text: `  → ${account} ${channel}` },
    { text: `(${gateway})`, colour: "dim" },
    { text: WORDS[state] ?? state, colour: COLOURS[state] ?? null },
    { text: remedy === null ? said : `${said} → ${remedy}` },
  ];
  const notes = losses.map(({ what, note }): readonly Cell[] => [
    { text: "" },
    { text: "" },
    { text: `lost: ${what}`, colour: "yellow" },
    { text: note },
  ]);
  return [first, ...notes];
}

const WORDS: Readonly<Partial<Record<Destination["state"], string>>> = {
  settled: "sent, or not shown there",
  before: "said before the bridge existed",
  unknown: "no longer known",
  folded: "sent with the message it changes",
  cancelled: "deleted before it was sent",
  omitted: "cannot be shown there",
};

const COLOURS: Readonly<Partial<Record<Destination["state"], Colour>>> = {
  sent: "green",
  read: "green",
  failed: "red",
  expired: "red",
  unconfirmed: "yellow",
  withheld: "yellow",
  waiting: "yellow",
  sending: "yellow",
};
