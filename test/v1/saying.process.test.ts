import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually } from "../support/wait.ts";
import {
  type Delivery,
  bodyOf,
  expectProblem,
  expectRefused,
  nextSse,
  seqs,
  textOf,
  texts,
  V1,
  expectTaken,
} from "./client.ts";
import { IrcStub } from "./irc-stub.ts";
import type { ApiMessage } from "../../src/contract/api-v1.ts";

type Json = Readonly<Record<string, unknown>>;

const irc = new IrcStub();
let running: Rialto | null = null;
const at = (account: string): V1 => new V1(running?.url(`api.${account}`) ?? "");
const left = (): V1 => at("left");
const right = (): V1 => at("right");

beforeAll(async () => {
  const port = await irc.listen();
  const accounts = { left: {}, right: {}, only: {} };
  const gateways = {
    lobby: { inout: ["left", "right"] },
    net: { inout: ["left", "right"] },
    lone: { inout: ["only"] },
  };
  const bridge = (account: string): string => `[[gateway.inout]]\naccount = "${account}"\nchannel = "#net"\n`;
  const config = toml({ general: { Search: true }, accounts, gateways }).replace(
    'name = "net"\nenable = true\n',
    `name = "net"\nenable = true\n${bridge("irc.stub")}${bridge("irc.down")}`,
  );
  const networks = `[irc.stub]\nServer = "127.0.0.1:${port}"\nNick = "rialto"\n[irc.down]\nServer = "127.0.0.1:1"\nNick = "rialto"\n`;
  running = await startRialto({ config: `${config}${networks}` });
});
afterAll(async () => {
  await running?.dispose();
  irc.stop();
});

/** The message of a delivery; one without fails. */
function messageOf(delivery: Delivery | undefined): ApiMessage {
  const event = delivery?.event;
  if (event === undefined || !("message" in event) || !("text" in event.message)) throw new Error("no message");
  return event.message;
}

describe("a post", () => {
  test("is 201, with the message and where its receipts are", async () => {
    const answer = await left().ask("POST", "/v1/gateways/lobby/messages", {
      body: { text: "hello", author: { id: "7", name: "bob", avatar: "https://example.org/a.png" }, style: "action" },
    });
    const { message, receipts } = bodyOf<{ message: Json; receipts: string }>(answer, 201);
    expect(message).toMatchObject({ text: "hello", style: "action", id: expect.stringMatching(/^\d+$/u) as unknown });
    expect(receipts).toBe(`/v1/messages/${String(message["id"])}/receipts`);
    await left().get(receipts);
  });

  test("has its author, its reply and its style at the reader", async () => {
    const name = await right().consumer({ start: "new" });
    const first = await left().say("lobby", "question");
    const reply = await left().say("lobby", "answer", {
      reply_to: first,
      style: "notice",
      author: { id: "7", name: "bob", avatar: "https://example.org/a.png" },
    });
    const { events } = await right().pull(name, { max: 1, wait: "5s" });
    await right().ack(name, { upto: events[0]?.event.seq });
    expect((await right().pull(name)).events[0]?.event).toMatchObject({
      author: { id: "7", name: "bob", avatar: "https://example.org/a.png" },
      message: { id: reply, reply_to: first, style: "notice" },
    });
  });

  test("a notice reaches readers of /api", async () => {
    const text = `notice ${randomUUID()}`;
    await left().say("lobby", text, { style: "notice" });
    const read: Json[] = [];
    await eventually(
      async () => read.push(...((await right().ask("GET", "/api/messages")).json() as Json[])),
      () => read.some((message) => message["text"] === text),
      () => "the notice",
    );
    const found = read.find((message) => message["text"] === text);
    expect(found).toMatchObject({ event: "notice_irc", gateway: "lobby" });
  });

  test("plain text stays as it is; names are raw", async () => {
    const name = await right().consumer({ start: "new" });
    await left().say("lobby", "**x** <b>", { format: "plain", author: { name: "<bob> " } });
    const [delivery] = (await right().pull(name)).events;
    expect(delivery?.event).toMatchObject({ author: { name: "<bob> " } });
    const { text, format } = messageOf(delivery);
    expect(["plain **x** <b>", "markdown \\*\\*x\\*\\* \\<b>"]).toContain(`${format} ${text}`);
  });

  test("a gateway that is not there is 404, and the right ones are named", async () => {
    const answer = await left().ask("POST", "/v1/gateways/loby/messages", { body: { text: "x" } });
    expect(expectProblem(answer, 404, "not_found")["detail"]).toMatch(/lobby/u);
    expectProblem(await left().ask("POST", "/v1/gateways/lone/messages", { body: { text: "x" } }), 404, "not_found");
  });

  test.for([
    ["no JSON", "{", 400],
    ["a text that is none", { text: 7 }, 400],
    ["an unknown format", { text: "x", format: "html" }, 400],
    ["an unknown style", { text: "x", style: "loud" }, 400],
    ["an id that is none", { text: "x", reply_to: "abc" }, 400],
  ] as const)("%s", async ([, body, status]) => {
    expectProblem(await left().ask("POST", "/v1/gateways/lobby/messages", { body }), status, "bad_request");
  });

  test("errors point at the field", async () => {
    const answer = await left().ask("POST", "/v1/gateways/lobby/messages", { body: { text: 7 } });
    const { errors } = expectProblem(answer, 400, "bad_request") as { errors?: { pointer: string; detail: string }[] };
    expect(errors?.map(({ pointer }) => pointer)).toContain("/text");
    expect(errors?.every(({ detail }) => detail !== "")).toBe(true);
  });

  test("of another media type is 415", async () => {
    const headers = { "Content-Type": "text/plain" };
    const answer = await left().ask("POST", "/v1/gateways/lobby/messages", { body: "x", headers });
    expectProblem(answer, 415, "unsupported_media_type");
  });
});

describe("Idempotency-Key", () => {
  const post = async (key: string, body: Json) =>
    await left().ask("POST", "/v1/gateways/lobby/messages", { body, headers: { "Idempotency-Key": key } });

  test("the same request is the same message, once", async () => {
    const name = await right().consumer({ start: "new" });
    const ids = [];
    for (let turn = 0; turn < 3; turn++) {
      const { message } = bodyOf<{ message: { id: string } }>(await post("k-1", { text: "once" }), 201);
      ids.push(message.id);
    }
    expect(new Set(ids).size).toBe(1);
    await left().say("lobby", "end");
    expect(texts(await right().pull(name))).toEqual(["once", "end"]);
  });

  test("at once too", async () => {
    const name = await right().consumer({ start: "new" });
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await post("k-2", { text: "at once" })));
    const ids = answers.map((answer) => bodyOf<{ message: { id: string } }>(answer, 201).message.id);
    expect(new Set(ids).size).toBe(1);
    await left().say("lobby", "end");
    expect(texts(await right().pull(name))).toEqual(["at once", "end"]);
  });

  test("with another body is 422", async () => {
    await post("k-3", { text: "one" });
    expectProblem(await post("k-3", { text: "two" }), 422, "idempotency_mismatch");
  });

  test("of 255 characters is taken, of 256 not", async () => {
    expect((await post("k".repeat(255), { text: "x" })).status).toBe(201);
    expectRefused(await post("k".repeat(256), { text: "x" }));
  });
});

describe("edits, deletions and reactions", () => {
  test("of others are refused, and so are those of messages that are not there", async () => {
    const id = await left().say("lobby", "mine");
    expectRefused(await right().ask("PATCH", `/v1/messages/${id}`, { body: { text: "yours" } }));
    expectRefused(await right().ask("DELETE", `/v1/messages/${id}`));
    for (const no of ["999999999", "abc"]) {
      expectRefused(await left().ask("PATCH", `/v1/messages/${no}`, { body: { text: "x" } }));
      expectRefused(await left().ask("DELETE", `/v1/messages/${no}`));
    }
    expectProblem(await left().ask("DELETE", "/v1/messages/999999999"), 404, "not_found");
  });

  test("If-Match of another revision is 412, and nothing is said", async () => {
    const name = await right().consumer({ start: "new", filter: { types: ["message.edited", "message.deleted"] } });
    const id = await left().say("lobby", "first");
    const headers = { "If-Match": '"another"' };
    const edit = { body: { text: "second" }, headers };
    expectProblem(await left().ask("PATCH", `/v1/messages/${id}`, edit), 412, "precondition_failed");
    expectProblem(await left().ask("DELETE", `/v1/messages/${id}`, { headers }), 412, "precondition_failed");
    expect((await right().pull(name, { max: 9, wait: "10ms" })).events).toEqual([]);
    expectTaken(await left().ask("PATCH", `/v1/messages/${id}`, { body: { text: "second" } }));
  });

  test("a deletion of what is deleted does not fail otherwise than as not there", async () => {
    const id = await left().say("lobby", "short");
    expectTaken(await left().ask("DELETE", `/v1/messages/${id}`));
    const { status } = await left().ask("DELETE", `/v1/messages/${id}`);
    expect([200, 202, 204, 404, 410]).toContain(status);
  });

  test("a reaction names its emoji", async () => {
    const name = await right().consumer({ start: "new", filter: { types: ["reaction.*"] } });
    const id = await left().say("lobby", "react");
    const path = `/v1/messages/${id}/reactions/${encodeURIComponent("👍")}`;
    expectTaken(await left().ask("PUT", path));
    expect((await right().pull(name)).events).toMatchObject([
      { event: { type: "reaction.added", message: { id }, reaction: { emoji: "👍" } } },
    ]);
  });
});

describe("receipts", () => {
  test("a row per destination, with what became of it; wait returns when the time is over", async () => {
    const id = await left().say("net", "over there");
    const settled = await eventually(
      async () => (await left().get<{ receipts: Json[] }>(`/v1/messages/${id}/receipts?wait=1s`)).receipts,
      (rows) =>
        rows.some(({ account, refs }) => account === "irc.stub" && Array.isArray(refs) && rows.length >= 2) &&
        irc.said.some((line) => line.includes("over there")),
      () => "the receipt of the IRC server",
    );
    const keys = ["gateway", "account", "channel", "state", "why", "remedy", "tries", "retry_at", "refs", "losses"];
    for (const row of settled) expect(Object.keys(row)).toEqual(expect.arrayContaining(keys));
    const down = settled.find(({ account }) => account === "irc.down");
    expect(down).toMatchObject({ gateway: "net", channel: "#net", why: expect.stringMatching(/./u) as unknown });
    expect(settled.find(({ account }) => account === "irc.stub")?.["state"]).not.toBe(down?.["state"]);
  });

  test("of what has no destination are settled at once", async () => {
    const id = await left().say("lobby", "nobody but readers");
    expect(await left().get(`/v1/messages/${id}/receipts?wait=30s`)).toMatchObject({
      receipts: expect.any(Array) as unknown,
    });
  });

  test("of what is not there: 404; a wait that is none: 400", async () => {
    expectProblem(await left().ask("GET", "/v1/messages/999999999/receipts"), 404, "not_found");
    const id = await left().say("lobby", "x");
    expectProblem(await left().ask("GET", `/v1/messages/${id}/receipts?wait=long`), 400, "bad_request");
  });
});

describe("files", () => {
  const content = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 251));
  const upload = async (): Promise<{ id: string; bytes: number; mime: string }> => {
    const headers = { "Content-Type": "application/octet-stream" };
    const answer = await left().ask("POST", "/v1/files?name=data.bin", { body: content, headers });
    expectTaken(answer);
    return answer.json() as { id: string; bytes: number; mime: string };
  };

  test("are kept under their SHA-256, and come back as they were", async () => {
    const { id, bytes, mime } = await upload();
    expect({ id, bytes }).toEqual({
      id: `s256_${createHash("sha256").update(content).digest("base64url")}`,
      bytes: 5000,
    });
    expect(mime).toMatch(/^[\w.+-]+\/[\w.+-]+/u);
    const answer = await left().ask("GET", `/v1/files/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body.equals(content)).toBe(true);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  });

  test.for([
    ["bytes=0-99", 0, 100],
    ["bytes=4990-", 4990, 5000],
    ["bytes=-10", 4990, 5000],
  ] as const)("Range %s", async ([range, from, to]) => {
    const { id } = await upload();
    const answer = await left().ask("GET", `/v1/files/${id}`, { headers: { Range: range } });
    expect(answer.status).toBe(206);
    expect(answer.headers["content-range"]).toBe(`bytes ${from}-${to - 1}/5000`);
    expect(answer.body.equals(content.subarray(from, to))).toBe(true);
  });

  test("a Range behind the end is 416, one that cannot be read is ignored", async () => {
    const { id } = await upload();
    expect((await left().ask("GET", `/v1/files/${id}`, { headers: { Range: "bytes=5000-" } })).status).toBe(416);
    expect((await left().ask("GET", `/v1/files/${id}`, { headers: { Range: "lines=1-2" } })).status).toBe(200);
  });

  test("go out with a message", async () => {
    const { id } = await upload();
    const name = await right().consumer({ start: "new" });
    await left().say("lobby", "look", { files: [id] });
    const [delivery] = (await right().pull(name)).events;
    const [file] = messageOf(delivery).files;
    expect(file).toMatchObject({ id, bytes: 5000, name: expect.any(String) as unknown });
    expect(Object.keys(file ?? {}).toSorted()).toEqual(["bytes", "caption", "expires", "id", "mime", "name", "url"]);
    expect((await right().ask("GET", `/v1/files/${id}`)).body.equals(content)).toBe(true);
  });

  test("that are not there are 404, and a post with one is refused", async () => {
    const none = `s256_${"A".repeat(43)}`;
    expectProblem(await left().ask("GET", `/v1/files/${none}`), 404, "not_found");
    expectRefused(await left().ask("GET", "/v1/files/..%2f..%2fetc%2fpasswd"));
    expectRefused(await left().ask("POST", "/v1/gateways/lobby/messages", { body: { text: "x", files: [none] } }));
  });
});

describe("asking", () => {
  test("gateways: those of the account, with bridges, state and capabilities", async () => {
    const { gateways } = await left().get<{ gateways: { name: string }[] }>("/v1/gateways");
    expect(gateways.map(({ name }) => name).toSorted()).toEqual(["lobby", "net"]);
    const net = await left().get<{ name: string; bridges: Json[] }>("/v1/gateways/net");
    expect(net.name).toBe("net");
    const bridge = net.bridges.find(({ account }) => account === "irc.stub");
    expect(bridge).toMatchObject({ channel: "#net", capabilities: expect.any(Object) as unknown });
    expect(Object.keys(bridge ?? {})).toContain("state");
    const problem = expectProblem(await left().ask("GET", "/v1/gateways/lone"), 404, "not_found");
    expect(problem["detail"]).not.toMatch(/lone.*lone/u);
  });

  test("members: who is in the channels", async () => {
    const members = await eventually(
      async () => (await left().get<{ members: Json[] }>("/v1/gateways/net/members")).members,
      (found) => JSON.stringify(found).includes('"ann"'),
      () => "ann among the members",
    );
    expect(JSON.stringify(members)).toContain('"bob"');
  });

  test("history: the newest, oldest first, with next", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await left().say("lobby", `page ${n}`));
    type Page = { messages: Json[]; next?: string | null };
    const idOf = (row: Json): unknown => row["id"] ?? (row["message"] as Json | undefined)?.["id"];
    const page = async (query: string): Promise<Page> => await right().get<Page>(`/v1/gateways/lobby/history?${query}`);
    const newest = await page("limit=2");
    expect(newest.messages.map(idOf)).toEqual(ids.slice(3));
    expect(newest.next).toBeTruthy();
    expect((await page(`limit=2&before=${ids[3]}`)).messages.map(idOf)).toEqual(ids.slice(1, 3));
    expect((await page(`limit=2&after=${ids[0]}`)).messages.map(idOf)).toEqual(ids.slice(1, 3));
    expect((await page(`limit=10&after=${ids[3]}`)).messages.map(idOf)).toEqual(ids.slice(4));
    expect((await page(`limit=10&after=${ids[3]}`)).next ?? null).toBeNull();
  });

  test("history?q= finds words, once the sweep has seen them", async () => {
    const id = await left().say("lobby", "a heliotrope in the garden");
    await left().say("lobby", "something else");
    const { messages } = await eventually(
      async () => await right().get<{ messages: Json[] }>("/v1/gateways/lobby/history?q=heliotrope"),
      (found) => found.messages.length > 0,
      () => "the word in the history",
    );
    expect(JSON.stringify(messages)).toContain(`"${id}"`);
    expect(messages).toHaveLength(1);
    expect(await right().get("/v1/gateways/net/history?q=heliotrope")).toMatchObject({ messages: [] });
  });

  test("history of a gateway that one does not see is 404; what is no position is 400", async () => {
    expectProblem(await left().ask("GET", "/v1/gateways/lone/history"), 404, "not_found");
    expectProblem(await left().ask("GET", "/v1/gateways/lobby/history?before=x"), 400, "bad_request");
    expectProblem(await left().ask("GET", "/v1/gateways/lobby/history?limit=none"), 400, "bad_request");
  });

  test("me", async () => {
    expect(JSON.stringify(await left().get("/v1/me"))).toContain("api.left");
  });

  test("what a network says comes to readers", async () => {
    const stream = await right().stream("/v1/events?accounts=irc.stub");
    irc.speak("ann", "#net", "hello from IRC");
    let heard = await nextSse(stream);
    while (textOf(heard.data) !== "hello from IRC") heard = await nextSse(stream);
    expect(heard.data).toMatchObject({
      gateways: ["net"],
      source: { account: "irc.stub", protocol: "irc", channel: "#net" },
      author: { name: "ann", mine: false },
    });
    await stream.close();
  });
});

test("typing is taken, and is in no log", async () => {
  const name = await right().consumer({ start: "new" });
  const answer = await left().ask("POST", "/v1/gateways/lobby/typing");
  expectTaken(answer);
  expectProblem(await left().ask("POST", "/v1/gateways/lone/typing"), 404, "not_found");
  const id = await left().say("lobby", "typed");
  expect(seqs(await right().pull(name))).toEqual([id]);
});
