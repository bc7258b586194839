import { describe, expect, test } from "vitest";
import { decodeStored } from "../../../gateway/codec.ts";
import { aGateway, anAccount } from "../../../gateway/samples.suite.ts";
import type { StoredEntry } from "../../../log/log.ts";
import { STAGE_ACCOUNT, type V1Stage, v1Stage } from "../stage.suite.ts";

const PATH = "/v1/gateways/lobby/messages";
type Shown = { message: { id: string; text: string }; receipts: string };

const post = async (stage: V1Stage, body: unknown, key?: string, path = PATH) =>
  await stage.ask("POST", path, { body, ...(key !== undefined && { headers: { "Idempotency-Key": key } }) });

const idOf = (answer: { body: unknown }): string => (answer.body as Shown).message.id;

/** What is in the log, of the account's own in the lobby. */
async function entries(stage: V1Stage, subject = `${STAGE_ACCOUNT}/lobby`): Promise<readonly StoredEntry[]> {
  return await stage.log.read({ subjects: [subject], after: 0, limit: 100 });
}

describe("a post", () => {
  test("is on disk, and known by its id, whatever FullEvents says", async () => {
    const stage = await v1Stage();
    const answer = await post(stage, {
      text: "**hi**",
      author: { id: "7", name: "ann", avatar: "https://a/b" },
      style: "action",
    });
    const id = idOf(answer);
    expect([answer.status, answer.headers.get("etag")]).toEqual([201, `"${id}"`]);
    expect(answer.body).toEqual({
      message: {
        id,
        text: "**hi**",
        format: "markdown",
        style: "action",
        reply_to: null,
        thread: null,
        hops: 0,
        files: [],
      },
      receipts: `/v1/messages/${id}/receipts`,
    });
    const [entry] = await entries(stage);
    expect([String(entry?.seq), entry?.label]).toEqual([id, "user_action"]);
    expect(decodeStored(entry?.payload ?? "")).toMatchObject({
      message: { text: "hi", username: "ann", userid: "7", avatar: "https://a/b", channel: "api", gateway: "lobby" },
      source: { format: "markdown", text: "**hi**" },
    });
    expect(await stage.log.ids.get(Number(id))).toMatchObject({ name: "ann", excerpt: "hi", gone: false });
  });

  test.each([
    ["plain", "plain", "2 * 3", "2 * 3", null],
    ["plain", "markdown", "2 * 3", "2 * 3", { format: "markdown", text: "2 * 3" }],
    ["plain", "markdown", "> a", "> a", { format: "markdown", text: "> a" }],
    ["plain", "markdown", "*a*", "a", { format: "markdown", text: "*a*" }],
    ["markdown", "markdown", "*a*", "*a*", null],
    ["markdown", "plain", "*a*", String.raw`\*a*`, { format: "plain", text: "*a*" }],
  ])(
    "with TextFormat %s, written as %s: /api reads it as it always has",
    async (TextFormat, format, text, shown, source) => {
      const stage = await v1Stage({ settings: { TextFormat } });
      expect((await post(stage, { text, format })).body).toMatchObject({ message: { text, format } });
      const [entry] = await entries(stage);
      expect(decodeStored(entry?.payload ?? "")).toMatchObject({ message: { text: shown }, source });
    },
  );

  test.each(["plain", "markdown"])(
    "that is marked %s is read as it was written, whatever TextFormat",
    async (format) => {
      for (const TextFormat of ["plain", "markdown"]) {
        const stage = await v1Stage({ settings: { TextFormat } });
        await stage.ask("PUT", "/v1/consumers/c", { body: { start: "all", filter: { mine: true } } });
        for (const text of ["one paragraph", "*a* & `b`", "> c\n\n- d"]) await post(stage, { text, format });
        const { body } = await stage.ask("POST", "/v1/consumers/c/pull", { body: {} });
        const { events } = body as { events: { event: { message: { text: string; format: string } } }[] };
        expect(events.map(({ event: { message } }) => [message.text, message.format])).toEqual([
          ["one paragraph", format],
          ["*a* & `b`", format],
          ["> c\n\n- d", format],
        ]);
      }
    },
  );

  test("as a notice is heard by readers of /api", async () => {
    const stage = await v1Stage();
    const { status } = await post(stage, { text: "hi", style: "notice" });
    const [entry] = await entries(stage);
    expect([status, entry?.label, decodeStored(entry?.payload ?? "").message.event]).toEqual([201, "", "notice_irc"]);
  });

  test("without an author is the account's; a lone surrogate is no character", async () => {
    const stage = await v1Stage();
    await stage.ask("POST", PATH, {
      body: String.raw`{"text":"\ud800"}`,
      headers: { "Content-Type": "application/json" },
    });
    const [entry] = await entries(stage);
    expect(decodeStored(entry?.payload ?? "").message).toMatchObject({ text: "\uFFFD", username: "game", userid: "" });
  });

  test.each([
    ["all", "@all", undefined],
    ["users", "@all", "users"],
    [undefined, "@all", "users"],
    ["users", "hi", undefined],
    ["none", "hi", "none"],
  ])("mentions %s of %s", async (mentions, text, kept) => {
    const stage = await v1Stage();
    await post(stage, { text, ...(mentions !== undefined && { mentions }) });
    expect(decodeStored((await entries(stage))[0]?.payload ?? "").mentions).toBe(kept);
  });

  test("answers, and belongs to threads; a message that nobody knows is refused", async () => {
    const stage = await v1Stage();
    const thread = idOf(await post(stage, { text: "first" }));
    const reply = idOf(await post(stage, { text: "second" }));
    expect((await post(stage, { text: "x", reply_to: reply, thread })).body).toMatchObject({
      message: { reply_to: reply, thread },
    });
    expect((await post(stage, { text: "x", thread })).body).toMatchObject({ message: { reply_to: null, thread } });
    const strange = await post(stage, { text: "x", reply_to: reply }, undefined, "/v1/gateways/den/messages");
    for (const refused of [strange, await post(stage, { text: "x", reply_to: "99999" })]) {
      expect(refused.status).toBe(422);
      expect(refused.body).toMatchObject({ code: "unprocessable", errors: [{ pointer: "/reply_to" }] });
    }
    expect((await entries(stage)).map(({ payload }) => decodeStored(payload).about?.seq ?? null)).toEqual([
      null,
      null,
      Number(reply),
      Number(thread),
    ]);
  });

  test.each([
    [{}, 422, "unprocessable"],
    [{ text: "", files: [] }, 422, "unprocessable"],
    [{ text: 7 }, 400, "bad_request"],
    [{ text: "x", style: "loud" }, 400, "bad_request"],
    [{ text: "x", reply_to: "abc" }, 400, "bad_request"],
    [{ text: "x", files: ["../x"] }, 400, "bad_request"],
    [{ text: "x", unknown: 1 }, 400, "bad_request"],
  ])("of %j is refused", async (body, status, code) => {
    const stage = await v1Stage();
    expect(await post(stage, body)).toMatchObject({ status, body: { code } });
    expect(await entries(stage)).toEqual([]);
  });
});

describe("where", () => {
  const gateways = [
    aGateway("lobby", ["inout net.a #x", "inout api.game api"]),
    aGateway("news", ["inout net.a #n", "out api.game api"]),
    aGateway("other", ["inout net.a #o", "inout net.c #y"]),
  ];

  test("a gateway that is not there is 404 with the right names, one that only receives is 403", async () => {
    const stage = await v1Stage({ gateways });
    for (const name of ["loby", "other", "LOBBY"]) {
      const { status, body } = await post(stage, { text: "x" }, undefined, `/v1/gateways/${name}/messages`);
      expect([status, (body as { detail: string }).detail]).toEqual([
        404,
        `there is no gateway "${name}" for this caller; there are: "lobby", "news"`,
      ]);
    }
    const received = await post(stage, { text: "x" }, undefined, "/v1/gateways/news/messages");
    expect(received).toMatchObject({ status: 403, body: { code: "forbidden" } });
  });

  test("to a token of one gateway, the others are not there", async () => {
    const stage = await v1Stage({ gateways });
    const token = await stage.token({ gateways: ["lobby"], name: "bot" });
    const refused = await stage.ask("POST", "/v1/gateways/news/messages", { body: { text: "x" }, token });
    expect(refused.body).toMatchObject({
      status: 404,
      detail: 'there is no gateway "news" for this caller; there are: "lobby"',
    });
    expect((await stage.ask("POST", PATH, { body: { text: "x" }, token })).status).toBe(201);
    expect(decodeStored((await entries(stage))[0]?.payload ?? "").message.username).toBe("bot");
  });
});

describe("Idempotency-Key", () => {
  test("a repeat has the first answer and says nothing; also when both come at once", async () => {
    const stage = await v1Stage();
    const answers = await Promise.all([1, 2, 3].map(() => post(stage, { text: "once" }, "k")));
    answers.push(await post(stage, { text: "once" }, "k"));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true")).toHaveLength(3);
    expect(await entries(stage)).toHaveLength(1);
  });

  test("another body, or another gateway, is 422; each token has keys of its own", async () => {
    const stage = await v1Stage();
    await post(stage, { text: "one" }, "k");
    const other = await post(stage, { text: "two" }, "k");
    const elsewhere = await post(stage, { text: "one" }, "k", "/v1/gateways/den/messages");
    for (const refused of [other, elsewhere])
      expect(refused).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    const token = await stage.token();
    const own = await stage.ask("POST", PATH, { body: { text: "two" }, token, headers: { "Idempotency-Key": "k" } });
    expect(own.status).toBe(201);
  });

  test("is one of /v1: the same key says something on /api as well", async () => {
    const stage = await v1Stage();
    await post(stage, { text: "one" }, "k");
    const headers = { "Idempotency-Key": "k" };
    const answer = await stage.ask("POST", "/api/message", { body: { text: "two", gateway: "lobby" }, headers });
    expect(answer.status).toBe(200);
    expect(await entries(stage)).toHaveLength(2);
  });

  test.each(["", "k".repeat(256)])("of %j is none", async (key) => {
    const stage = await v1Stage();
    expect((await post(stage, { text: "x" }, key)).status).toBe(400);
  });
});

describe("what a filter drops", () => {
  test("is said to be dropped, not which expression did it; a repeat as well", async () => {
    const stage = await v1Stage();
    const own = {
      ...anAccount(STAGE_ACCOUNT, { ignoreMessages: ["^spam"] }),
      settings: stage.config.accounts.get(STAGE_ACCOUNT)?.settings ?? {},
    };
    await stage.change({ ...stage.config, accounts: new Map([...stage.config.accounts, [own.key, own]]) });
    const [first, second] = [await post(stage, { text: "spam" }, "k"), await post(stage, { text: "spam" }, "k")];
    const body = { message: null, dropped: { reason: "ignored_text", detail: "IgnoreMessages matches its text" } };
    expect(first).toMatchObject({ status: 200, body });
    expect(second).toMatchObject({ status: 200, body });
    expect(await entries(stage)).toEqual([]);
    expect((await post(stage, { text: "ham" })).status).toBe(201);
  });

  test("too many hops as well", async () => {
    const stage = await v1Stage();
    expect((await post(stage, { text: "x", hops: 9 })).body).toMatchObject({ dropped: { reason: "loop" } });
    expect((await post(stage, { text: "x", hops: 8 })).body).toMatchObject({ message: { hops: 8 } });
  });
});
