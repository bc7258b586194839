import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  DAY_MS,
  ENDPOINT,
  had,
  never,
  opened,
  partsOf,
  remote,
  scratch,
  source,
  stage,
  tree,
  wanted,
} from "./stage.suite.ts";

test("links keep what they lead to longer than messages are kept", async () => {
  const { files, clock, dataPath } = await stage({ sources: source(() => opened("x")) });
  had(await files.ready(wanted(remote("r")), never));
  const content = join(dataPath, "files", "content");
  // Each hour has its sweep; while one is under way no timer waits.
  await clock.advance(20 * DAY_MS);
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    await expect.poll(() => clock.waiting).toBe(1);
    await clock.advance(3_600_000);
  }
  await expect.poll(() => clock.waiting).toBe(1);
  expect(tree(content)).toHaveLength(1);
  await expect
    .poll(async () => {
      await clock.advance(DAY_MS);
      return tree(content);
    })
    .toEqual([]);
});

test("a text has one address, the same for the same text", async () => {
  const { files, dataPath } = await stage();
  const link = await files.publish("long words");
  expect(link).toMatch(/^https:\/\/media\.example\/media\/[\w-]{43}\/message\.txt$/u);
  expect(await files.publish("long words")).toBe(link);
  expect(await files.publish("other words")).not.toBe(link);
  await files.close();
  const later = await stage({ dataPath });
  expect(await later.files.publish("long words")).toBe(link);
});

test("without an endpoint or a folder nothing has an address", async () => {
  const { files } = await stage({ sources: source(() => opened("x")), media: { endpoint: null } });
  expect(had(await files.ready(wanted(remote("r")), never)).link).toBeNull();
  expect(await files.publish("x")).toBeNull();
});

test("a link holds as long as it should, stays the same meanwhile, and is renewed in time", async () => {
  const { files, clock } = await stage({ sources: source(() => opened("hello")) });
  const ask = async () => had(await files.ready(wanted(remote("r"), "a b.txt"), never)).link;
  const link = await ask();
  expect(link).toMatch(/\/a_b\.txt$/u);
  await clock.advance(10 * DAY_MS);
  expect(await ask()).toBe(link);
  expect(await files.published(...partsOf(link))).toMatchObject({
    is: "file",
    file: { name: "a_b.txt", bytes: 5, type: "text/plain; charset=utf-8", inline: true },
  });
  await clock.advance(6 * DAY_MS);
  expect(await ask()).not.toBe(link);
  await clock.advance(14 * DAY_MS);
  expect(await files.published(...partsOf(link))).toEqual({ is: "expired" });
  expect((await files.published(...partsOf(await ask()))).is).toBe("file");
});

test("a link to what the store had to let go says so; one with another name is none", async () => {
  const { files, dataPath } = await stage({ sources: source(() => opened("hello")) });
  const [token, name] = partsOf(had(await files.ready(wanted(remote("r"), "a.txt"), never)).link);
  expect(await files.published(token, "a.html")).toEqual({ is: "unknown" });
  const [content = ""] = tree(join(dataPath, "files", "content"));
  rmSync(join(dataPath, "files", "content", content));
  expect(await files.published(token, name)).toEqual({ is: "gone" });
});

test("a name without an ending gets that of its type", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010806000000", "hex");
  const { files } = await stage({ sources: source(() => opened(png)) });
  const file = had(await files.ready(wanted(remote("r"), "avatar"), never));
  expect(file.mime).toBe("image/png");
  expect(file.link).toMatch(/\/avatar\.png$/u);
});

test("in the folder of a web server a file lies as the reference put it, readable, and the folder comes first", async () => {
  const path = scratch();
  const folder = { path: join(path, "media"), url: "https://web.example/m" };
  const { files } = await stage({ sources: source(() => opened("hello")), media: { folder, endpoint: ENDPOINT } });
  const sha1 = createHash("sha1").update("hello").digest("hex").slice(0, 8);
  for (const name of ["../my file (1).tar.gz", "x.é"]) {
    const there = name === "x.é" ? name : "_my_file_1_tar.gz";
    expect(had(await files.ready(wanted(remote("r"), name), never)).link).toBe(
      `https://web.example/m/${sha1}/${encodeURIComponent(there)}`,
    );
    const file = join(folder.path, sha1, there);
    expect(readFileSync(file, "utf8")).toBe("hello");
    expect(statSync(file).mode & 0o444).toBe(0o444);
    expect(statSync(file).nlink).toBe(1);
  }
  expect(tree(folder.path)).toHaveLength(2);
});

test("a picture without an ending gets one in the folder, too, and where it is uploaded", async () => {
  const folder = { path: scratch(), url: "https://web.example" };
  const picture = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const { files } = await stage({ sources: source(() => opened(picture)), media: { folder } });
  for (const [name, shown] of [
    ["avatar", "avatar.png"],
    ["Happy cat", "Happy cat.png"],
    ["cat.jpeg", "cat.jpeg"],
  ] as const) {
    const ready = had(await files.ready(wanted(remote(name), name), never));
    expect(ready.name).toBe(shown);
    expect(ready.link?.endsWith(`/${shown.replaceAll(" ", "_")}`)).toBe(true);
  }
});

test("a content that meets another one's first digits on purpose neither replaces it nor is taken for it", async () => {
  const folder = { path: scratch(), url: "https://web.example" };
  const { files } = await stage({ sources: source((ref) => opened(ref)), media: { folder } });
  for (const other of ["hELLO", "hello, longer"]) {
    const sha1 = createHash("sha1").update("hello").digest("hex").slice(0, 8);
    const planted = join(folder.path, sha1, "a.txt");
    mkdirSync(join(folder.path, sha1), { recursive: true });
    writeFileSync(planted, other);
    const { link, sha256 } = had(await files.ready(wanted(remote("hello"), "a.txt"), never));
    expect(link).toBe(`https://web.example/${sha256}/a.txt`);
    expect(readFileSync(join(folder.path, sha256, "a.txt"), "utf8")).toBe("hello");
    expect(readFileSync(planted, "utf8")).toBe(other);
  }
});

test("when the folder cannot be written, the endpoint steps in, and the log says it once", async () => {
  const path = join(scratch(), "file");
  writeFileSync(path, "");
  const warn = vi.fn<(fields: object, message: string) => void>();
  const ignore = (): void => undefined;
  const { files } = await stage({
    sources: source((ref) => opened(ref)),
    media: { folder: { path, url: "https://web.example" } },
    log: { trace: ignore, debug: ignore, info: ignore, warn },
  });
  for (const ref of ["a", "b"]) {
    expect(had(await files.ready(wanted(remote(ref)), never)).link).toMatch(/^https:\/\/media\.example\//u);
  }
  expect(warn).toHaveBeenCalledTimes(1);
});
