import { describe, expect, test } from "vitest";
import { stage as fileStage } from "../../../files/stage.suite.ts";
import { decodeStored } from "../../../gateway/codec.ts";
import { aGateway, aMessage, anAccount } from "../../../gateway/samples.suite.ts";
import { encode } from "../../../gateway/codec.ts";
import type { PresentationSettings } from "../../../config/config.ts";
import { STAGE_ACCOUNT, type V1Stage, v1Stage } from "../stage.suite.ts";

const THUMB = encodeURIComponent("👍");

async function post(stage: V1Stage, text = "first", gateway = "lobby"): Promise<string> {
  const { body } = await stage.ask("POST", `/v1/gateways/${gateway}/messages`, {
    body: { text, author: { name: "ann" } },
  });
  return (body as { message: { id: string } }).message.id;
}

/** Somebody says something in a room of a network, and can be referred to. */
async function heard(stage: V1Stage, subject = "net.a/#x", userid = "tom!t@h"): Promise<string> {
  const [account = ""] = subject.split("/");
  const message = aMessage({ account, protocol: "net", gateway: "", userid, username: "tom", text: "hello" });
  const note = {
    is: "said",
    refs: [`r${stage.log.head}`],
    author: JSON.stringify([userid, null]),
    name: "tom",
    excerpt: "hello",
  } as const;
  const entry = { subject, key: null, label: "", payload: encode(message), note };
  const stored = await stage.log.append({ account, entries: [entry] });
  return String(stored.is === "stored" ? stored.seqs[0] : 0);
}

async function last(stage: V1Stage, count = 1) {
  const subjects = ["lobby", "den"].map((gateway) => `${STAGE_ACCOUNT}/${gateway}`);
  const all = await stage.log.read({ subjects, after: 0, limit: 100 });
  return all.slice(-count).map(({ subject, label, payload }) => {
    const { message, source, about } = decodeStored(payload);
    return { subject, label, message, source, about };
  });
}

async function present(stage: V1Stage, presentation: Partial<PresentationSettings>): Promise<void> {
  const { settings = {} } = stage.config.accounts.get(STAGE_ACCOUNT) ?? {};
  const own = { ...anAccount(STAGE_ACCOUNT, presentation), settings };
  await stage.change({ ...stage.config, accounts: new Map([...stage.config.accounts, [own.key, own]]) });
}

describe("an edit", () => {
  test("says what the message says from now on, and is its revision", async () => {
    const stage = await v1Stage();
    const id = await post(stage);
    const answer = await stage.ask("PATCH", `/v1/messages/${id}`, { body: { text: "*second*" } });
    const seq = stage.log.head;
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).toBe(`"${seq}"`);
    expect(answer.body).toMatchObject({
      message: { id, text: "*second*", format: "markdown" },
      receipts: `/v1/messages/${seq}/receipts`,
    });
    const [entry] = await last(stage);
    expect(entry).toMatchObject({
      label: "msg_edit",
      message: { text: "second", username: "ann", userid: "" },
      source: { text: "*second*" },
      about: { is: "edit", seq: Number(id), excerpt: "first" },
    });
    expect(await stage.log.ids.get(Number(id))).toMatchObject({ excerpt: "second" });
  });

  test("of a revision that stands no more is 412; of the one that stands, or of any, is taken", async () => {
    const stage = await v1Stage();
    const [id, other] = [await post(stage), await post(stage)];
    const edit = async (tag: string) =>
      await stage.ask("PATCH", `/v1/messages/${id}`, { body: { text: "x" }, headers: { "If-Match": tag } });
    const first = await edit(`"1", "${id}"`);
    expect(first.status).toBe(200);
    await stage.ask("PATCH", `/v1/messages/${other}`, { body: { text: "x" } });
    for (const wrong of [`"${id}"`, '"x"', id]) {
      expect(await edit(wrong)).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    }
    expect((await edit(first.headers.get("etag") ?? "")).status).toBe(200);
    expect((await edit("*")).status).toBe(200);
    const headers = { "If-Match": `"${id}"` };
    expect((await stage.ask("DELETE", `/v1/messages/${id}`, { headers })).status).toBe(412);
  });

  test("is for messages of the account, which are there", async () => {
    const stage = await v1Stage();
    const foreign = await stage.ask("PATCH", `/v1/messages/${await heard(stage)}`, { body: { text: "x" } });
    expect(foreign).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const gone = await post(stage);
    await stage.ask("DELETE", `/v1/messages/${gone}`);
    for (const id of [gone, "999999", "0", "abc", "1e3"]) {
      expect((await stage.ask("PATCH", `/v1/messages/${id}`, { body: { text: "x" } })).status).toBe(404);
    }
    expect((await stage.ask("PATCH", `/v1/messages/${gone}`, { body: { text: "" } })).status).toBe(400);
  });

  test("replaces and removes the files that it lists, and leaves them where it lists none", async () => {
    const { files } = await fileStage();
    const stage = await v1Stage({ files });
    const upload = async (name: string): Promise<string> => {
      const headers = { "Content-Type": "application/octet-stream" };
      const { body } = await stage.ask("POST", `/v1/files?name=${name}`, { body: name, headers });
      return (body as { id: string }).id;
    };
    const [old, other] = [await upload("old.txt"), await upload("new.txt")];
    const first = await stage.ask("POST", "/v1/gateways/lobby/messages", { body: { text: "look", files: [old] } });
    const { id } = (first.body as { message: { id: string } }).message;
    const change = async (body: object) => {
      const answer = await stage.ask("PATCH", `/v1/messages/${id}`, { body });
      const [entry] = await last(stage);
      return { answer, changed: entry?.about?.changed, files: entry?.message.Extra?.file.map(({ Name }) => Name) };
    };
    expect((await change({ text: "see" })).changed).toBeUndefined();
    const replaced = await change({ text: "", files: [{ id: other, spoiler: true }] });
    expect(replaced.answer.body).toMatchObject({ message: { text: "", files: [{ name: "new.txt", spoiler: true }] } });
    expect(replaced).toMatchObject({
      changed: { before: 1, added: [0], removed: [{ at: 0, name: "[old.txt]" }] },
      files: ["new.txt"],
    });
    const removed = await change({ text: "gone", files: [] });
    expect(removed).toMatchObject({ changed: { before: 1, added: [], removed: [{ name: "[hidden file]" }] } });
    expect((await change({ text: "", files: [] })).answer.status).toBe(400);
    const unknown = await change({ text: "x", files: [`s256_${"A".repeat(43)}`] });
    expect(unknown.answer).toMatchObject({ status: 422, body: { code: "unprocessable" } });
  });

  test("keeps to EditSuffix, EditDisable and the filters", async () => {
    const stage = await v1Stage();
    const id = await post(stage);
    await present(stage, { editSuffix: " (edited)", ignoreMessages: ["^spam"] });
    await stage.ask("PATCH", `/v1/messages/${id}`, { body: { text: "new", format: "plain" } });
    expect((await last(stage))[0]?.message.text).toBe("new (edited)");
    const spam = await stage.ask("PATCH", `/v1/messages/${id}`, { body: { text: "spam" } });
    expect(spam.body).toMatchObject({ message: null, dropped: { reason: "ignored_text" } });
    await present(stage, { editDisable: true });
    const off = await stage.ask("PATCH", `/v1/messages/${id}`, { body: { text: "new" } });
    expect(off.body).toMatchObject({ message: null, dropped: { reason: "edits_disabled" } });
  });
});

describe("a deletion", () => {
  test("of one's own; twice is the same", async () => {
    const stage = await v1Stage();
    const id = await post(stage);
    const answer = await stage.ask("DELETE", `/v1/messages/${id}`);
    const { head } = stage.log;
    expect(answer).toMatchObject({ status: 200, body: { message: { id }, receipts: `/v1/messages/${head}/receipts` } });
    expect(await last(stage)).toMatchObject([
      { label: "msg_delete", message: { text: "" }, about: { is: "delete", seq: Number(id) } },
    ]);
    expect(await stage.ask("DELETE", `/v1/messages/${id}`)).toMatchObject({ status: 200, body: { message: { id } } });
    expect(stage.log.head).toBe(head);
  });

  test("of many at once is one of each", async () => {
    const stage = await v1Stage();
    const id = await post(stage);
    const { head } = stage.log;
    const answers = await Promise.all([1, 2, 3, 4].map(() => stage.ask("DELETE", `/v1/messages/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(stage.log.head).toBe(head + 1);
  });

  test("of others needs `moderate`, and goes to all gateways that have it", async () => {
    const gateways = [
      aGateway("lobby", ["inout net.a #x", "inout api.game api"]),
      aGateway("den", ["inout net.a #x", "inout net.b #y", "inout api.game api"]),
    ];
    const stage = await v1Stage({ gateways });
    const id = await heard(stage);
    expect(await stage.ask("DELETE", `/v1/messages/${id}`)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const token = await stage.token({ scopes: ["write", "moderate"], name: "guard" });
    const { head } = stage.log;
    const answer = await stage.ask("DELETE", `/v1/messages/${id}`, { token });
    expect(answer.body).toEqual({ message: { id }, receipts: `/v1/messages/${head + 1}/receipts?also=${head + 2}` });
    expect(await last(stage, 2)).toMatchObject([
      {
        subject: "api.game/lobby",
        message: { username: "guard" },
        about: { author: { id: "tom!t@h", account: "net.a" } },
      },
      { subject: "api.game/den", label: "msg_delete" },
    ]);
    expect(await stage.log.ids.get(Number(id))).toMatchObject({ gone: true });
  });

  test("by a token of one gateway: only there, and what is elsewhere is not there", async () => {
    const stage = await v1Stage();
    const [here, there] = [await heard(stage), await heard(stage, "net.b/#y")];
    const token = await stage.token({ scopes: ["write", "moderate"], gateways: ["lobby"] });
    expect((await stage.ask("DELETE", `/v1/messages/${there}`, { token })).status).toBe(404);
    expect((await stage.ask("DELETE", `/v1/messages/${here}`, { token })).status).toBe(200);
    expect((await stage.ask("DELETE", `/v1/messages/${await post(stage, "x", "den")}`, { token })).status).toBe(404);
  });

  test("by a token of one gateway is refused where the message is in another as well, alone and among many", async () => {
    const gateways = [
      aGateway("lobby", ["inout net.a #x", "inout net.c #z", "inout api.game api"]),
      aGateway("den", ["inout net.a #x", "inout net.b #y", "inout api.game api"]),
    ];
    const stage = await v1Stage({ gateways });
    const [shared, single] = [await heard(stage), await heard(stage, "net.c/#z")];
    const token = await stage.token({ scopes: ["write", "moderate"], gateways: ["lobby"] });
    const alone = await stage.ask("DELETE", `/v1/messages/${shared}`, { token });
    const among = await stage.ask("POST", "/v1/moderation/delete", { body: { messages: [single, shared] }, token });
    for (const answer of [alone, among]) {
      expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
      expect(answer.text).toContain(`message ${shared} is in gateways that this token does not see as well`);
      expect(answer.text).not.toMatch(/\bden\b/u);
    }
    for (const id of [shared, single]) expect(await stage.log.ids.get(Number(id))).toMatchObject({ gone: false });
    expect((await stage.ask("DELETE", `/v1/messages/${single}`, { token })).status).toBe(200);
    const both = await stage.token({ scopes: ["write", "moderate"], gateways: ["lobby", "den"] });
    expect((await stage.ask("DELETE", `/v1/messages/${shared}`, { token: both })).status).toBe(200);
  });
});

describe("a reaction", () => {
  test("goes under any message that is seen, and away again", async () => {
    const stage = await v1Stage();
    const id = await heard(stage);
    const path = `/v1/messages/${id}/reactions/${THUMB}`;
    expect(await stage.ask("PUT", path)).toMatchObject({
      status: 200,
      body: { message: { id }, reaction: { emoji: "👍" } },
    });
    await stage.ask("PUT", `/v1/messages/${id}/reactions/:+1:`, { body: { author: { id: "7", name: "bob" } } });
    expect(await stage.log.ids.reactions(Number(id))).toMatchObject([
      { name: "game", emoji: "👍" },
      { name: "bob", emoji: "👍" },
    ]);
    await stage.ask("DELETE", path);
    expect(await stage.log.ids.reactions(Number(id))).toMatchObject([{ name: "bob" }]);
    expect((await last(stage, 3)).map(({ about }) => about?.on)).toEqual([true, true, false]);
  });

  test("is refused where the revision that If-Match names stands no more", async () => {
    const stage = await v1Stage();
    const id = await post(stage);
    const headers = { "If-Match": `"${id}"` };
    const reaction = async (method: string) =>
      (await stage.ask(method, `/v1/messages/${id}/reactions/${THUMB}`, { headers })).status;
    expect(await reaction("PUT")).toBe(200);
    await stage.ask("PATCH", `/v1/messages/${id}`, { body: { text: "second" } });
    expect([await reaction("PUT"), await reaction("DELETE")]).toEqual([412, 412]);
  });

  test("is one emoji, and may be switched off", async () => {
    const stage = await v1Stage();
    const id = await post(stage);
    const long = await stage.ask("PUT", `/v1/messages/${id}/reactions/${"x".repeat(65)}`);
    expect(long).toMatchObject({ status: 422, body: { code: "unprocessable" } });
    expect((await stage.ask("PUT", `/v1/messages/99999/reactions/${THUMB}`)).status).toBe(404);
    await present(stage, { reactionDisable: true });
    const off = await stage.ask("PUT", `/v1/messages/${id}/reactions/${THUMB}`);
    expect(off.body).toMatchObject({ message: null, dropped: { reason: "reactions_disabled" } });
  });
});

describe("moderation", () => {
  test("deletes what one person has said, by its newest, and nothing of others", async () => {
    const stage = await v1Stage();
    const spam = [await heard(stage), await heard(stage), await heard(stage)];
    const others = [await heard(stage, "net.a/#x", "ann"), await heard(stage, "net.b/#y", "tom!t@h")];
    const token = await stage.token({ scopes: ["moderate"] });
    const body = { from: { account: "net.a", id: "tom!t@h" }, limit: 2 };
    const clear = async () => await stage.ask("POST", "/v1/moderation/delete", { body, token });
    const first = await clear();
    expect(first).toMatchObject({ status: 200, body: { deleted: [spam[2], spam[1]], more: true } });
    expect((first.body as { receipts: string[] }).receipts).toEqual([
      `/v1/messages/${stage.log.head - 1}/receipts`,
      `/v1/messages/${stage.log.head}/receipts`,
    ]);
    expect((await clear()).body).toMatchObject({ deleted: [spam[0]], more: false });
    expect((await clear()).body).toEqual({ deleted: [], receipts: [], more: false });
    for (const id of others) expect(await stage.log.ids.get(Number(id))).toMatchObject({ gone: false });
  });

  test("deletes those that are named: all, or none where one is not there", async () => {
    const stage = await v1Stage();
    const ids = [await heard(stage), await post(stage)];
    const token = await stage.token({ scopes: ["moderate"] });
    const ask = async (body: unknown, by: string | null = token) =>
      await stage.ask("POST", "/v1/moderation/delete", { body, token: by });
    expect((await ask({ messages: ids }, null)).status).toBe(403);
    expect(await ask({ messages: [...ids, "99999"] })).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('"99999"') as unknown },
    });
    expect(await stage.log.ids.get(Number(ids[0]))).toMatchObject({ gone: false });
    expect((await ask({ messages: [...ids, ...ids] })).body).toMatchObject({ deleted: ids });
    expect((await ask({})).status).toBe(422);
    expect((await ask({ from: { account: "net.a", id: "x" }, within: "soon" })).status).toBe(400);
    expect((await ask({ from: { account: "net.a", id: "x" }, gateway: "loby" })).status).toBe(404);
  });
});
