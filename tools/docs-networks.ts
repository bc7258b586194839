import type { Capabilities, Idempotency, Identity, Level } from "../src/contract/capabilities.ts";
import type { Manifest } from "../src/contract/manifest.ts";
import { formatDuration } from "../src/lib/duration.ts";

/** A network as its adapter declares it. */
export interface Network {
  readonly manifest: Manifest;
  readonly capabilities: Capabilities;
}

/** What "once" means, one row per network; everything in it follows from the capabilities. */
export function onceTable(networks: Iterable<Network>): string {
  const rows = [...networks].map(({ manifest, capabilities: { proof, idempotency, limits } }) => {
    const { unknown, rialto, network } = settled(idempotency);
    return [manifest.title, proofs[proof], unknown, rialto, network, `${limits.inflightMax} per channel`];
  });
  const heads = [
    "network",
    "delivered means",
    "when nobody knows whether it was sent",
    "after a crash of Rialto",
    "after a crash of the network",
    "most messages in doubt at once",
  ];
  return tableOf(heads, rows);
}

const proofs: Readonly<Record<Capabilities["proof"], string>> = {
  "handed-over": "the connection has taken it",
  server: "the server has confirmed it",
  device: "a device of somebody there has it",
};

function settled(idempotency: Idempotency): { unknown: string; rialto: string; network: string } {
  if (idempotency.by === "none") {
    return {
      unknown: "not sent again, but recorded as *unconfirmed* and named in the log; what follows is sent",
      rialto: "what was being sent is *unconfirmed*, the rest is sent: none doubled",
      network: "what was not confirmed is *unconfirmed*, the rest waits and is sent: none doubled",
    };
  }
  if (idempotency.by === "echo") {
    return {
      unknown: "looked for among our messages that the network shows us; sent again when it is not there",
      rialto: "each is there once",
      network: "each that the network kept is there once",
    };
  }
  const span = formatDuration(idempotency.windowMs);
  return {
    unknown: `sent again under the same key, which the network takes once in ${span}`,
    rialto: `each is there once, if Rialto is back within ${span}`,
    network: `each is there once, if the network is back within ${span} and kept its keys`,
  };
}

/** What crosses, one row per network. */
export function crossesTable(networks: Iterable<Network>): string {
  const rows = [...networks].map(({ manifest, capabilities }) => {
    const { ops, identity, formats, limits } = capabilities;
    const levels = [ops.edit, ops.delete, ops.react].concat(features.map(([, feature]) => capabilities[feature]));
    const cells = levels.map((level) => marks[level]);
    const names = identity.map((rung) => rungs[rung]).join(", else ");
    const unit = { bytes: "bytes", utf16: "UTF-16 units", codepoints: "characters" }[limits.textUnit];
    const shown = formats.filter((format) => format !== "text" && format !== "para").join(", ");
    return [manifest.title].concat(cells, names, shown, `${limits.textMax} ${unit}`);
  });
  const heads = ["network", "edits", "deletions", "reactions", ...features.map(([head]) => head)];
  return tableOf([...heads, "who speaks", "formats", "longest part of a message"], rows);
}

type Feature = "reply" | "thread" | "notice" | "fileIn" | "fileOut" | "members" | "topic" | "history";

const features: readonly (readonly [string, Feature])[] = [
  ["replies", "reply"],
  ["threads", "thread"],
  ["notices", "notice"],
  ["files from there", "fileIn"],
  ["files to there", "fileOut"],
  ["joining and leaving", "members"],
  ["topics", "topic"],
  ["what was missed", "history"],
];

const marks: Readonly<Record<Level, string>> = { native: "yes", emulated: "in part", none: "no" };

const rungs: Readonly<Record<Identity, string>> = {
  puppet: "an account of its own for each sender",
  "per-message": "name and picture with each message",
  alias: "a name with each message",
  prefix: "the name before the text",
};

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...rows.map(line)].join("\n");
}
