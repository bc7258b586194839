import type { Capabilities } from "../src/contract/capabilities.ts";
import type { Network } from "./docs-networks.ts";

/** As the network's own people have it, in the words of a message, or not at all. */
type Shown = "native" | "in words" | "none";

interface Row {
  readonly title: string;
  readonly ours: (capabilities: Capabilities) => Shown;
  /** The HTTP API with `FullEvents`, which has no adapter. */
  readonly api: Shown;
  /** Of matterbridge 1.26, by protocol. */
  readonly reference: Reference;
}

/** Protocols that it has something of; the rest has nothing. */
interface Reference {
  readonly native?: string;
  readonly words?: string;
}

const op =
  (kind: keyof Capabilities["ops"]) =>
  ({ ops }: Capabilities): Shown =>
    ops[kind] === "native" ? "native" : "in words";
const level = { native: "native", emulated: "in words", none: "none" } as const;

/** An edit that matterbridge cannot make is a new message there, and so is one that clients of its API read. */
const rows: readonly Row[] = [
  {
    title: "edits",
    ours: op("edit"),
    api: "native",
    reference: { native: "xmpp matrix mattermost discord slack telegram", words: "irc api" },
  },
  {
    title: "deletions",
    ours: op("delete"),
    api: "native",
    reference: { native: "matrix mattermost discord slack telegram" },
  },
  {
    title: "replies",
    ours: ({ reply }) => level[reply === "none" ? "emulated" : reply],
    api: "native",
    reference: { native: "matrix mattermost discord slack telegram", words: "irc xmpp" },
  },
  {
    title: "threads",
    ours: ({ thread }) => (thread === "native" ? "native" : "in words"),
    api: "native",
    reference: { native: "mattermost slack", words: "irc xmpp matrix discord telegram" },
  },
  {
    title: "reactions",
    ours: ({ ops }) => (ops.react === "native" ? "native" : "none"),
    api: "native",
    reference: {},
  },
  {
    title: "files to it",
    ours: ({ fileOut }) => level[fileOut],
    api: "native",
    reference: { native: "matrix mattermost slack telegram api", words: "irc xmpp discord" },
  },
  {
    title: "files from it",
    ours: ({ fileIn }) => level[fileIn],
    api: "native",
    reference: { native: "matrix mattermost discord slack telegram api" },
  },
  {
    title: "the sender's name and picture",
    ours: ({ identity }) => {
      const [best] = identity;
      return best === "prefix" || best === undefined ? "in words" : "native";
    },
    api: "native",
    reference: { native: "irc matrix mattermost discord slack api", words: "xmpp telegram" },
  },
  {
    title: "who comes and goes there",
    ours: ({ members }) => (members === "none" ? "none" : "in words"),
    api: "none",
    reference: { words: "irc mattermost discord slack telegram" },
  },
  {
    title: "topics, with `SyncTopic`",
    ours: op("topic"),
    api: "native",
    reference: { native: "slack", words: "irc xmpp matrix mattermost discord telegram api" },
  },
  {
    title: "what was said there while the bridge was away",
    ours: ({ history }) => (history === "native" ? "native" : "none"),
    api: "native",
    reference: { native: "telegram" },
  },
];

/** One cell per network: what Rialto does, and what matterbridge does. */
export function besideTable(networks: Iterable<Network>): string {
  const all = [...networks].filter(({ manifest }) => manifest.protocol !== "api");
  const heads = ["what", ...all.map(({ manifest }) => manifest.title), "HTTP API"];
  const cellsOf = ({ title, ours, api, reference }: Row): readonly string[] => {
    const cells = all.map(({ manifest, capabilities }) =>
      pair(ours(capabilities), shownBy(reference, manifest.protocol)),
    );
    return [title, ...cells, pair(api, shownBy(reference, "api"))];
  };
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...rows.map((row) => line(cellsOf(row)))].join("\n");
}

const pair = (ours: Shown, theirs: Shown): string => (ours === theirs ? ours : `**${ours}**, not ${theirs}`);

function shownBy({ native = "", words = "" }: Reference, protocol: string): Shown {
  if (native.split(" ").includes(protocol)) return "native";
  return words.split(" ").includes(protocol) ? "in words" : "none";
}
