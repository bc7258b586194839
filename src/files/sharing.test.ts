import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { KnownUploads } from "./files.ts";
import type { SharedContents } from "./shared.ts";
import { had, never, opened, remote, source, stage, wanted } from "./stage.suite.ts";

const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Servers with little room: what was put first goes first. */
class Servers implements SharedContents {
  readonly contents = new Map<string, number>();
  readonly notes = new Map<string, { readonly sha256: string; readonly facts: string }>();
  readonly sweeps: number[] = [];
  /** The contents in the order in which the last sweep was asked to remove them. */
  order: readonly string[] = [];
  readonly #holds: number;
  /** Whether they have no room for a note either. */
  isFull = false;

  constructor(holds: number) {
    this.#holds = holds;
  }

  get #bytes(): number {
    return [...this.contents.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  readonly secret = async (): Promise<Uint8Array> => await Promise.resolve(new Uint8Array(32));
  readonly use = async (name: string): Promise<boolean> => await Promise.resolve(this.contents.has(name));
  readonly get = async (): Promise<null> => await Promise.resolve(null);
  readonly noted = async (): Promise<null> => await Promise.resolve(null);

  async put(name: string, content: AsyncIterable<Uint8Array>): Promise<boolean> {
    let bytes = 0;
    for await (const chunk of content) bytes += chunk.length;
    if (this.#bytes + bytes > this.#holds) return false;
    this.contents.set(name, bytes);
    return true;
  }

  async note(id: string, known: { readonly sha256: string; readonly facts: string }): Promise<boolean> {
    if (!this.isFull) this.notes.set(id, known);
    return await Promise.resolve(!this.isFull);
  }

  async sweep({
    room,
    ranking,
  }: Parameters<SharedContents["sweep"]>[0]): Promise<{ readonly bytes: number; readonly removed: number }> {
    this.sweeps.push(room);
    const rank = await ranking();
    this.order = [...this.contents.keys()].sort((one, other) => rank(one) - rank(other));
    this.isFull = false;
    let removed = 0;
    for (const name of this.contents.keys()) {
      if (room === 0 || this.#bytes <= this.#holds / 2) break;
      this.contents.delete(name);
      removed += 1;
    }
    return await Promise.resolve({ bytes: this.#bytes, removed });
  }
}

const MEBIBYTE = 1024 * 1024;

test("a machine that finds the servers full makes room and puts it again, also right after its start", async () => {
  const servers = new Servers(2 * MEBIBYTE);
  const { files } = await stage({ shared: servers, media: { downloadSize: MEBIBYTE } });
  const contents = ["a", "b", "c"].map((name) => Buffer.alloc(900_000, name));
  for (const content of contents) expect(await files.keep(content, "a.bin")).toBe(sha256(content));
  expect([...servers.contents.keys()]).toEqual(contents.slice(1).map(sha256));
  expect(servers.sweeps).toHaveLength(1);
  expect(servers.sweeps[0]).toBeGreaterThan(900_000);
});

test("what goes first on the servers are uploads of the token that has uploaded most, and last files of messages", async () => {
  const servers = new Servers(3 * MEBIBYTE);
  const contents = ["of a message", "of another", "own", "own too"].map((name) => Buffer.alloc(900_000, name));
  const [shown = "", theirs = "", ...own] = contents.map(sha256);
  const owners = new Map([theirs, ...own].map((name) => [name, new Set([name === theirs ? "eve" : "mallory"])]));
  const uploads = (): Promise<KnownUploads> => Promise.resolve({ owners, shown: new Set([shown]) });
  const { files } = await stage({ shared: servers, uploads, media: { downloadSize: MEBIBYTE } });
  const take = async (content: Buffer, owner?: string): Promise<void> => {
    const named = { name: "a.bin", mime: null, ...(owner !== undefined && { owner }) };
    expect(await files.take(Readable.from([content]), named)).toMatchObject({ ok: true });
  };
  const [first, second, third, fourth] = contents as [Buffer, Buffer, Buffer, Buffer];
  await take(first);
  await take(second, "eve");
  await take(third, "mallory");
  await take(fourth, "mallory");
  expect(servers.sweeps).toHaveLength(1);
  expect(servers.order).toEqual([own[0], theirs, shown]);
});

test("so it is with what is known of a file, and what has no room at all is refused", async () => {
  const servers = new Servers(MEBIBYTE);
  servers.isFull = true;
  const sources = source(() => opened("hello", { mime: "text/plain" }));
  const { files } = await stage({ shared: servers, sources, media: { downloadSize: 4 * MEBIBYTE } });
  had(await files.ready(wanted(remote("r")), never));
  expect([...servers.notes.values()]).toMatchObject([{ sha256: sha256("hello") }]);
  const kept = await files.keep(Buffer.alloc(2 * MEBIBYTE), "large.bin");
  expect(kept).toMatchObject({ why: { message: expect.stringContaining("they have no room for it") as unknown } });
});
