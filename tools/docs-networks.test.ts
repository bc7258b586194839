import { expect, test } from "vitest";
import type { Capabilities } from "../src/contract/capabilities.ts";
import { crossesTable, onceTable } from "./docs-networks.ts";
import type { Network } from "./docs-networks.ts";

const capabilities: Capabilities = {
  ops: { edit: "native", delete: "none", react: "none", topic: "none" },
  reply: "emulated",
  replyWords: "address",
  mention: "none",
  thread: "none",
  notice: "none",
  fileIn: "native",
  fileOut: "emulated",
  members: "native",
  topic: "none",
  history: "native",
  identity: ["per-message", "prefix"],
  idempotency: { by: "none" },
  proof: "server",
  formats: ["text", "bold", "quote", "para"],
  limits: { textMax: 2000, textUnit: "codepoints", inflightMax: 3 },
};

function network(changes: Partial<Capabilities>): Network {
  const schema = { type: "object", properties: {} } as const;
  return { manifest: { protocol: "paper", title: "Paper", schema }, capabilities: { ...capabilities, ...changes } };
}

test("without idempotency what is in doubt is not sent again", () => {
  const [, , row] = onceTable([network({})]).split("\n");
  expect(row).toMatch(
    /^\| Paper \| the server has confirmed it \| not sent again,.*none doubled.*\| 3 per channel \|$/u,
  );
});

test("with a key or an echo it is, and a key has its span", () => {
  expect(onceTable([network({ idempotency: { by: "echo" } })])).toMatch(/sent again if it is not there/u);
  const keyed = onceTable([network({ idempotency: { by: "key", windowMs: 5_400_000 }, proof: "device" })]);
  expect(keyed).toMatch(/a recipient's device.*same key.*once in 1h30m/u);
});

test("what crosses: one column per network, one cell per heading", () => {
  const [heads = "", line = "", ...rows] = crossesTable([network({}), network({ reply: "native" })]).split("\n");
  expect(heads).toBe("| what | Paper | Paper |");
  expect(line).toBe("|---|---|---|");
  for (const row of rows) expect(row.split("|")).toHaveLength(heads.split("|").length);
  expect(rows).toContain("| edits | native | native |");
  expect(rows).toContain("| replies | in words: `name: text` | native |");
  expect(rows).toContain("| longest part of a message | 2000 characters | 2000 characters |");
});
