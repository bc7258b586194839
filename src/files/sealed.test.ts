import { expect, test } from "vitest";
import { mint } from "../contract/ids.ts";
import { fileId } from "./file-id.ts";
import { Seal } from "./sealed.ts";
import { ENDPOINT, partsOf, remote, stage } from "./stage.suite.ts";

const seal = new Seal(Buffer.alloc(32, 1));
const id = fileId({ is: "remote", account: "net.one", ref: mint("FileRef", "room@host.example/Ann Ü") });
const UNTIL_S = 4_000_000_000;

test("a sealed link is read again, and says nothing to others", () => {
  const token = seal.close({ id, untilS: UNTIL_S }, "a.png") ?? "";
  expect(token).toMatch(/^[\w-]+$/u);
  expect(token).not.toHaveLength(43);
  expect(seal.open(token, "a.png")).toEqual({ id, untilS: UNTIL_S });
  expect(Buffer.from(token, "base64url").toString("latin1")).not.toMatch(/net|room|Ann/u);
  expect(seal.close({ id, untilS: UNTIL_S }, "a.png")).toBe(token);
});

test("nothing of it can be changed", () => {
  const token = seal.close({ id, untilS: UNTIL_S }, "a.png") ?? "";
  expect(seal.open(token, "a.html")).toBeNull();
  expect(new Seal(Buffer.alloc(32, 2)).open(token, "a.png")).toBeNull();
  for (let at = 0; at < token.length; at += 1) {
    const other = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    expect(seal.open(other, "a.png")).toBeNull();
  }
  for (const other of ["", "A", "A".repeat(43), token.slice(0, -1), `${token}A`])
    expect(seal.open(other, "a.png")).toBeNull();
});

test("an id that makes no address is given none", () => {
  expect(seal.close({ id: remote("x".repeat(1000)), untilS: UNTIL_S }, "a")).toBeNull();
});

test("a link stays the same for some time, holds as long, and ends", async () => {
  const { files, clock } = await stage();
  const first = files.linkFor(remote("r"), "../b c.png");
  expect(first).toMatch(/^https:\/\/media\.example\/media\/[\w-]+\/b_c\.png$/u);
  expect(files.linkFor(remote("r"), "b c.png")).toBe(first);
  expect(files.linkFor(remote("s"), "b c.png")).not.toBe(first);
  await clock.advance(ENDPOINT.expiryMs / 2 - 1000);
  expect((await files.published(...partsOf(first))).is).toBe("missing");
  await clock.advance(1000);
  expect(files.linkFor(remote("r"), "b c.png")).not.toBe(first);
  await clock.advance(ENDPOINT.expiryMs / 2);
  expect(await files.published(...partsOf(first))).toEqual({ is: "expired" });
});

test("without an endpoint there are no such links", async () => {
  const { files } = await stage({ media: { endpoint: null } });
  expect(files.linkFor(remote("r"), "a.png")).toBeNull();
});
