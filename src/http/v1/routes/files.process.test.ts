import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/support/wait.ts";
import { type FileId, mint } from "../../../contract/ids.ts";
import type { FileItem } from "../../../contract/message.ts";
import { fileId } from "../../../files/file-id.ts";
import { opened, stage as fileStage, tree } from "../../../files/stage.suite.ts";
import { decodeStored, encodeStored } from "../../../gateway/codec.ts";
import { aFile, aMessage } from "../../../gateway/samples.suite.ts";
import { forgetUploads, sha256Of, uploadsOf } from "../saying/uploads.ts";
import { STAGE_ACCOUNT, type V1Stage, v1Stage } from "../stage.suite.ts";

const CONTENT = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 251));
const ID = `s256_${createHash("sha256").update(CONTENT).digest("base64url")}`;

async function staged(media: Parameters<typeof fileStage>[0] = {}): Promise<V1Stage> {
  const { files } = await fileStage(media);
  return await v1Stage({ files });
}

const upload = async (
  { ask }: V1Stage,
  token: string | null = null,
  body: Uint8Array | string = CONTENT,
  name = "a.bin",
) =>
  await ask("POST", `/v1/files?name=${encodeURIComponent(name)}`, {
    body,
    token,
    headers: { "Content-Type": "application/octet-stream" },
  });

const get = async (
  stage: V1Stage,
  headers: Readonly<Record<string, string>> = {},
  token: string | null = null,
  method = "GET",
) => await stage.ask(method, `/v1/files/${ID}`, { headers, token });

describe("a file", () => {
  test("is kept under its SHA-256, and comes back as it was", async () => {
    const stage = await staged();
    const answer = await upload(stage);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/v1/files/${ID}`);
    expect(answer.body).toEqual({ id: ID, name: "a.bin", bytes: 5000, mime: "application/octet-stream" });
    const got = await fetch(`${stage.url}/v1/files/${ID}`);
    expect(Buffer.from(await got.arrayBuffer()).equals(CONTENT)).toBe(true);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      "content-length": "5000",
      "content-disposition": 'attachment; filename="a.bin"',
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
      "accept-ranges": "bytes",
    });
    expect(got.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/u);
  });

  test.each([
    ["bytes=0-99", 206, "bytes 0-99/5000", 100],
    ["bytes=-10", 206, "bytes 4990-4999/5000", 10],
    ["lines=1-2", 200, null, 5000],
  ])("Range: %s", async (range, status, part, length) => {
    const stage = await staged();
    await upload(stage);
    const got = await get(stage, { Range: range });
    expect([got.status, got.headers.get("content-range"), got.headers.get("content-length")]).toEqual([
      status,
      part,
      String(length),
    ]);
  });

  test("of which a part is asked that is not there is 416; one that is known is 304; HEAD has all but the content", async () => {
    const stage = await staged();
    await upload(stage);
    const beyond = await get(stage, { Range: "bytes=5000-" });
    expect(beyond).toMatchObject({ status: 416, body: { code: "range_not_satisfiable" } });
    expect(beyond.headers.get("content-range")).toBe("bytes */5000");
    const tag = (await get(stage)).headers.get("etag") ?? "";
    expect((await get(stage, { "If-None-Match": tag })).status).toBe(304);
    expect((await get(stage, { Range: "bytes=0-0", "If-Range": '"x"' })).status).toBe(200);
    const head = await get(stage, {}, null, "HEAD");
    expect([head.status, head.headers.get("content-length"), head.text]).toEqual([200, "5000", ""]);
  });

  test("that can hold a script is only saved", async () => {
    const stage = await staged();
    const { body } = await upload(stage, null, "<!doctype html><script>1</script>", "a.png");
    const got = await stage.ask("GET", `/v1/files/${(body as { id: string }).id}`);
    expect(got.headers.get("content-type")).toBe("text/html");
    expect(got.headers.get("content-disposition")).toMatch(/^attachment; /u);
  });

  test("that is too large is 413, and one that is excluded 422: nothing of them is kept", async () => {
    const stage = await staged({ media: { downloadSize: 4999 }, blacklisted: (name) => name.endsWith(".exe") });
    expect(await upload(stage)).toMatchObject({ status: 413, body: { code: "too_large" } });
    expect((await get(stage)).status).toBe(404);
    expect(await upload(stage, null, "x", "a.exe")).toMatchObject({ status: 422, body: { code: "unprocessable" } });
  });
});

describe("who may know a file", () => {
  const post = async (stage: V1Stage, gateway: string, token: string | null) =>
    await stage.ask("POST", `/v1/gateways/${gateway}/messages`, { body: { files: [ID] }, token });

  test("who brought it, whoever sees all gateways, and who sees a message with it; nobody else by its hash alone", async () => {
    const stage = await staged();
    const lobby = await stage.token({ gateways: ["lobby"] });
    const same = await stage.token({ gateways: ["lobby"] });
    const den = await stage.token({ gateways: ["den"] });
    const blind = await stage.token({ scopes: ["write"] });
    await upload(stage, lobby);
    const statuses = async () =>
      await Promise.all([lobby, null, same, den, blind].map(async (token) => (await get(stage, {}, token)).status));
    expect(await statuses()).toEqual([200, 200, 404, 404, 403]);
    expect(await post(stage, "lobby", same)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/files/0" }] },
    });
    expect((await post(stage, "lobby", lobby)).status).toBe(201);
    expect(await statuses()).toEqual([200, 200, 200, 404, 403]);
  });

  test("until it was forgotten with its days", async () => {
    const stage = await staged();
    await upload(stage);
    await post(stage, "lobby", null);
    await forgetUploads(0, stage.log);
    expect((await get(stage)).status).toBe(200);
    await forgetUploads(Date.now() + 1000, stage.log);
    expect((await get(stage)).status).toBe(404);
  });
});

test("a message says which of its files are hidden, and why", async () => {
  const stage = await staged();
  await upload(stage);
  const files = [{ id: ID, spoiler: "the ending" }, { id: ID, spoiler: true }, { id: ID, spoiler: false }, ID];
  const { body } = await stage.ask("POST", "/v1/gateways/lobby/messages", { body: { text: "look", files } });
  const shown = (body as { message: { files: readonly { spoiler?: unknown }[] } }).message.files;
  expect(shown.map(({ spoiler }) => spoiler)).toEqual(["the ending", true, undefined, undefined]);
});

test("a message has its files by their ids, for networks and for readers", async () => {
  const stage = await staged();
  await upload(stage);
  const answer = await stage.ask("POST", "/v1/gateways/lobby/messages", { body: { text: "look", files: [ID] } });
  const file = { id: ID, name: "a.bin", bytes: 5000, caption: "", mime: "application/octet-stream" };
  expect(answer).toMatchObject({ status: 201, body: { message: { files: [file] } } });
  const [entry] = await stage.log.read({ subjects: [`${STAGE_ACCOUNT}/lobby`], after: 0, limit: 1 });
  const { message, files } = decodeStored(entry?.payload ?? "");
  expect(message.Extra?.file).toMatchObject([{ Name: "a.bin", Size: 5000, Data: "", URL: "" }]);
  expect(files).toEqual([JSON.stringify({ is: "stored", sha256: sha256Of(ID) })]);
});

test("a repeat is answered as the first time, also when its file is known no more; what was refused is no first time", async () => {
  const stage = await staged();
  const post = async (text: string) =>
    await stage.ask("POST", "/v1/gateways/lobby/messages", {
      body: { text, files: [ID] },
      headers: { "Idempotency-Key": "k" },
    });
  expect((await post("look")).status).toBe(422);
  await upload(stage);
  const first = await post("look");
  await forgetUploads(Date.now() + 1000, stage.log);
  const again = await post("look");
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await post("other")).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
});

describe("a file of a message", () => {
  const NET = fileId({ is: "remote", account: "net.a", ref: mint("FileRef", "r") });

  /** Somebody shares files in a room of lobby. */
  async function shared(stage: V1Stage, items: readonly Partial<FileItem>[], files: readonly (FileId | null)[]) {
    const message = aMessage({ account: "net.a", protocol: "net", gateway: "", Extra: { file: items.map(aFile) } });
    const payload = encodeStored({ message, source: null, about: null, files, avatar: null, topic: null });
    await stage.log.append({ account: "net.a", entries: [{ subject: "net.a/#x", key: null, label: "", payload }] });
    const { body } = await stage.ask("GET", "/v1/gateways/lobby/history");
    const [said] = (body as { messages: { message: { files: { id: string }[] } }[] }).messages;
    return (said?.message.files ?? []).map(({ id }) => id);
  }

  test("of a network is fetched by its id in the event, for who sees the message", async () => {
    let asked = 0;
    const open = async () => {
      asked += 1;
      return await Promise.resolve(opened(CONTENT));
    };
    const stage = await staged({ sources: { open }, media: { endpoint: null } });
    const ids = await shared(
      stage,
      [
        { Name: "a.bin", Data: "" },
        { Data: "", URL: "https://a/b" },
      ],
      [NET, null],
    );
    expect(ids).toEqual([`at_${stage.log.head}_0`, ""]);
    const den = await stage.token({ gateways: ["den"] });
    const blind = await stage.token({ scopes: ["write"] });
    const lobby = await stage.token({ gateways: ["lobby"] });
    const status = async (token: string | null, id = ids[0]) =>
      (await stage.ask("GET", `/v1/files/${id}`, { token })).status;
    expect([await status(den), await status(blind), asked]).toEqual([404, 403, 0]);
    expect([await status(lobby), await status(null), asked]).toEqual([200, 200, 1]);
    const got = await fetch(`${stage.url}/v1/files/${ids[0]}`, { headers: { Range: "bytes=1-4" } });
    expect([got.status, Buffer.from(await got.arrayBuffer())]).toEqual([206, CONTENT.subarray(1, 5)]);
    for (const id of [`at_${stage.log.head}_1`, `at_${stage.log.head}_2`, `at_${stage.log.head + 1}_0`, "at_0_0"])
      expect(await status(null, id)).toBe(404);
  });

  test("goes on by its id in a post of who sees it, and to a network as what it is", async () => {
    const open = async () => await Promise.resolve(opened(CONTENT));
    const stage = await staged({ sources: { open }, media: { endpoint: null } });
    const [id = ""] = await shared(stage, [{ Name: "a.bin", Data: "" }], [NET]);
    const den = await stage.token({ gateways: ["den"] });
    const lobby = await stage.token({ gateways: ["lobby"] });
    const post = async (token: string | null, file = id) =>
      await stage.ask("POST", "/v1/gateways/lobby/messages", { body: { files: [file] }, token });
    expect((await post(den)).status).toBe(404);
    expect(await post(lobby)).toMatchObject({
      status: 201,
      body: { message: { files: [{ id, name: "a.bin", bytes: 5000, mime: "application/octet-stream" }] } },
    });
    const [entry] = await stage.log.read({ subjects: [`${STAGE_ACCOUNT}/lobby`], after: 0, limit: 1 });
    expect(decodeStored(entry?.payload ?? "").files).toEqual([NET]);
    const again = await stage.ask("GET", `/v1/files/at_${stage.log.head}_0`, { token: lobby });
    expect([again.status, again.headers.get("content-length")]).toEqual([200, "5000"]);
    expect(await post(lobby, `at_${stage.log.head}_1`)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/files/0" }], detail: expect.stringContaining("is not kept any more") as unknown },
    });
  });

  test("of a network that does not give it now is refused in a post", async () => {
    const open = () => Promise.resolve({ ok: false as const, why: { code: "network" as const, message: "no" } });
    const stage = await staged({ sources: { open } });
    const [id] = await shared(stage, [{ Name: "a.bin", Data: "" }], [NET]);
    const answer = await stage.ask("POST", "/v1/gateways/lobby/messages", { body: { files: [id] } });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("cannot be had from its network now") as unknown },
    });
  });

  test("that cannot be had now is 503, one that is no more 404", async () => {
    for (const [code, status] of [
      ["network", 503],
      ["not_found", 404],
    ] as const) {
      const open = () => Promise.resolve({ ok: false as const, why: { code, message: "no" } });
      const stage = await staged({ sources: { open } });
      const [id] = await shared(stage, [{ Name: "a.bin", Data: "" }], [NET]);
      expect((await stage.ask("GET", `/v1/files/${id}`)).status).toBe(status);
    }
  });

  test("posted on /api has its content", async () => {
    const stage = await staged();
    const file = { Name: "a.bin", Data: CONTENT.toString("base64") };
    const { status } = await stage.ask("POST", "/api/message", {
      body: { text: "x", username: "u", gateway: "lobby", Extra: { file: [file] } },
    });
    expect(status).toBe(200);
    const { body } = await stage.ask("GET", "/v1/gateways/lobby/history");
    const [said] = (body as { messages: { message: { files: { id: string }[] } }[] }).messages;
    const place = said?.message.files[0]?.id ?? "";
    const got = await fetch(`${stage.url}/v1/files/${place}`);
    expect([got.status, Buffer.from(await got.arrayBuffer()).equals(CONTENT)]).toEqual([200, true]);
    const posted = await stage.ask("POST", "/v1/gateways/den/messages", { body: { files: [place] } });
    expect(posted).toMatchObject({ status: 201, body: { message: { files: [{ bytes: 5000 }] } } });
  });
});

test.each([
  "",
  "s256_",
  `s256_${"A".repeat(42)}`,
  `s256_${"A".repeat(42)}B`,
  `S256_${"A".repeat(43)}`,
  `s256_${"A".repeat(42)}/`,
])("%j is no id of a file", (id) => expect(sha256Of(id)).toBeNull());

test("when space runs out, uploads of a token take the place of its own, and a file that was posted stays", async () => {
  let stage: V1Stage | null = null;
  const marks = async (stem: string) => (await stage?.log.marks(stem)) ?? new Map<string, string>();
  const { files, dataPath, clock } = await fileStage({
    media: { storeBytes: 100_000 },
    uploads: async () => await uploadsOf({ marks }),
  });
  stage = await v1Stage({ files });
  const [owner, other] = [await stage.token(), await stage.token()];
  const bring = async (token: string, letter: string): Promise<string> => {
    const { body } = (await (stage === null ? null : upload(stage, token, letter.repeat(9_000)))) ?? { body: {} };
    return (body as { readonly id: string }).id;
  };
  const [posted, waiting] = [await bring(owner, "p"), await bring(owner, "w")];
  const said = await stage.ask("POST", "/v1/gateways/lobby/messages", {
    token: owner,
    body: { files: [posted] },
  });
  expect(said.status).toBe(201);
  const kept = (): number => tree(join(dataPath, "files", "content")).length;
  const statusOf = async (id: string, token: string) => (await stage?.ask("GET", `/v1/files/${id}`, { token }))?.status;
  const brought: string[] = [];
  for (const letter of "abcdefghijklmnopqrst") {
    // Each is newer than those before it.
    await clock.advance(10);
    brought.push(await bring(other, letter));
    // The store knows about how much it holds: what is over the limit goes soon.
    await eventually(
      () => Promise.resolve(kept()),
      (count) => count <= 10,
      () => "room",
    );
  }
  expect([await statusOf(posted, owner), await statusOf(waiting, owner)]).toEqual([200, 200]);
  expect(await statusOf(brought[0] ?? "", other)).toBe(404);
  expect(await statusOf(brought.at(-1) ?? "", other)).toBe(200);
});

test("of one token so many come in at once, and others have room beside it", async () => {
  const stage = await staged();
  const [token, other] = [await stage.token(), await stage.token()];
  const { port } = new URL(stage.url);
  const begun = Array.from({ length: 4 }, () => connect(Number(port), "127.0.0.1"));
  onTestFinished(() => {
    for (const socket of begun) socket.destroy();
  });
  for (const socket of begun) {
    const head = `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    socket.write(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
    // It has come to its handler, whose slot it has.
    await once(socket, "data");
  }
  const more = await upload(stage, token);
  expect(more).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(more.headers.get("retry-after")).toBe("5");
  expect((await upload(stage, other)).status).toBe(201);
  const answered = begun.map(async (socket) => void (await once(socket, "data")));
  for (const socket of begun) socket.write("ab");
  await Promise.all(answered);
  expect((await upload(stage, token)).status).toBe(201);
});
