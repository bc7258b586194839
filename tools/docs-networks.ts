import { sharedSchema } from "../src/config/presentation.ts";
import type { Capabilities, Idempotency, Identity } from "../src/contract/capabilities.ts";
import type { Manifest } from "../src/contract/manifest.ts";
import { becomes, type Feature } from "../src/gateway/becomes.ts";
import { formatDuration } from "../src/lib/duration.ts";

/** A network as its adapter declares it. */
export interface Network {
  readonly manifest: Manifest;
  readonly capabilities: Capabilities;
}

/**
 * What "once" means, one row per network, which follows from the capabilities, and for each lesser way to take part.
 */
export function onceTable(networks: Iterable<Network>): string {
  const rows = [...networks].flatMap(({ manifest, capabilities: { proof, idempotency, limits } }) => {
    const row = (title: string, { unknown, rialto, network }: ReturnType<typeof settled>) => {
      return [title, proofs[proof], unknown, rialto, network, `${limits.inflightMax} per channel`];
    };
    const lesser = (manifest.lesser ?? []).map((way) => row(`${manifest.title}, ${way.title}`, way));
    return [row(manifest.title, settled(idempotency))].concat(lesser);
  });
  const heads = [
    "network",
    "delivered means",
    "if it is unknown whether it was sent",
    "after a crash of Rialto",
    "after a crash of the network",
    "messages that can be in doubt at once",
  ];
  return tableOf(heads, rows);
}

const proofs: Readonly<Record<Capabilities["proof"], string>> = {
  "handed-over": "the connection has taken it",
  server: "the server has confirmed it",
  device: "a recipient's device has it",
};

function settled(idempotency: Idempotency): { unknown: string; rialto: string; network: string } {
  if (idempotency.by === "none") {
    return {
      unknown: "not sent again, but recorded as *unconfirmed* and named in the log; what comes after it is sent",
      rialto: "what was being sent is *unconfirmed*, the rest is sent: none doubled",
      network: "what was not confirmed is *unconfirmed*, the rest waits and is sent: none doubled",
    };
  }
  if (idempotency.by === "echo") {
    return {
      unknown: "looked for among the bot's messages that the network shows; sent again if it is not there",
      rialto: "each is there once",
      network: "each that the network kept is there once",
    };
  }
  const span = formatDuration(idempotency.windowMs);
  return {
    unknown: `sent again under the same key, which the network takes once in ${span}`,
    rialto: `each is there once; what may have been sent more than ${span} ago is *unconfirmed*: none doubled`,
    network: `each is there once, if the network is back within ${span} and kept its keys`,
  };
}

/**
 * What crosses to each network, one column per network: `becomes` with the settings that everybody starts with, people
 * and topics shown.
 */
export function crossesTable(networks: Iterable<Network>): string {
  const all = [...networks];
  const heads = ["what", ...all.map(({ manifest }) => manifest.title)];
  const row = (title: string, cell: (network: Network) => string) => [title].concat(all.map(cell));
  const ofFeature = ([feature, title]: (typeof features)[number]) =>
    row(title, ({ manifest, capabilities }) => becomes(capabilities, settingsOf(manifest))[feature]);
  const synced = ({ manifest, capabilities }: Network) =>
    becomes(capabilities, { ...settingsOf(manifest), syncTopic: true }).topic;
  return tableOf(heads, [
    ...features.map(ofFeature),
    row("topics, with `SyncTopic`", synced),
    row("who speaks", ({ capabilities }) => capabilities.identity.map((rung) => rungs[rung]).join(", otherwise ")),
    row("formats", ({ capabilities }) => formatsOf(capabilities)),
    row("longest part of a message", ({ capabilities }) => longest(capabilities)),
    row("files from there", ({ capabilities }) => (capabilities.fileIn === "none" ? "no" : "yes")),
  ]);
}

/** The defaults of the schema and of the manifest, with joins and topics on: what they would be is what people ask. */
function settingsOf({ defaults = {} }: Manifest): Parameters<typeof becomes>[1] {
  const { properties } = sharedSchema;
  const pick = (name: keyof typeof properties) => defaults[name] ?? properties[name].default;
  return {
    preserveThreading: pick("PreserveThreading") === true,
    quoteDisable: pick("QuoteDisable") === true,
    editFallback: chosen(["diff", "whole", "none"], pick("EditFallback")),
    deleteFallback: chosen(["none", "note"], pick("DeleteFallback")),
    reactionDisable: pick("ReactionDisable") === true,
    reactionFallback: chosen(["none", "line"], pick("ReactionFallback")),
    allowMention: properties.AllowMention.default,
    showJoinPart: true,
    showTopicChange: true,
    syncTopic: false,
  };
}

function chosen<T extends string>(choices: readonly T[], value: unknown): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Error(`the default ${String(value)} is none of ${choices.join(", ")}`);
  return found;
}

const features: readonly (readonly [Feature, string])[] = [
  ["action", "actions (`/me`)"],
  ["notice", "notices"],
  ["reply", "replies"],
  ["thread", "threads"],
  ["edit", "edits"],
  ["delete", "deletions"],
  ["reaction", "reactions"],
  ["file", "files"],
  ["mention", "mentions"],
  ["join", "joining and leaving, with `ShowJoinPart`"],
  ["history", "what was said there while Rialto was away"],
  ["topic", "topics, with `ShowTopicChange`"],
];

function formatsOf({ formats }: Capabilities): string {
  return formats.filter((format) => format !== "text" && format !== "para").join(", ");
}

function longest({ limits }: Capabilities): string {
  return `${limits.textMax} ${{ bytes: "bytes", utf16: "UTF-16 units", codepoints: "characters" }[limits.textUnit]}`;
}

const rungs: Readonly<Record<Identity, string>> = {
  puppet: "a separate user for each sender",
  "per-message": "name and picture with each message",
  alias: "a name with each message",
  prefix: "the name before the text",
};

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...rows.map(line)].join("\n");
}
