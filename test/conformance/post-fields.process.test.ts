import { describe, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { type Fields } from "../support/client.ts";
import { connectRaw, rawRequest } from "../support/raw.ts";
import { expectError, expectWhole, FILE_KEYS, KEYS } from "../support/shape.ts";
import { launch, useRooms } from "../support/suite.ts";
import { toml } from "../support/config.ts";

/** What came of a post: the answer and what the reader of the same room saw. */
interface Outcome {
  readonly answer: Message;
  readonly seen: Message;
}

const room = useRooms(69);

describe("the answer of POST /api/message", () => {
  test("is the stored message: compact JSON, a newline, application/json; charset=utf-8, 200 OK", async () => {
    const { sender } = room();
    const answer = await sender.post({ text: "hello", username: "bob" });
    expect([answer.status, answer.reason]).toEqual([200, "OK"]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.text).toBe(`${JSON.stringify(answer.json())}\n`);
    expectWhole(answer.json());
  });

  test("is what the reader gets, name for name and value for value", async () => {
    const { sender, reader } = room();
    const answer = await sender.say({ text: "same", username: "bob", Extra: { file: [{ Name: "n", Data: "QQ==" }] } });
    expect(await reader.poll()).toEqual([answer]);
  });

  test("has the service's own channel, account, protocol, timestamp and id, whatever the client says", async () => {
    const { sender, reader, senderAccount } = room();
    const before = Date.now();
    const own = { channel: "x", account: "y", protocol: "z", timestamp: "1541361213.030700", id: "i" };
    const answer = await sender.say({ text: "mine", ...own });
    expect(answer).toMatchObject({ channel: "api", account: senderAccount, protocol: "api", id: "" });
    expect(Date.parse(answer.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(answer.timestamp)).toBeLessThanOrEqual(Date.now());
    expect(await reader.poll()).toEqual([answer]);
  });

  test("is 200 for an empty message, which goes nowhere: {}, null, no body, only a name", async () => {
    const { sender, reader } = room();
    for (const body of ["{}", "null", "", '{"username":"bob"}', '{"text":"","event":"user_action"}']) {
      const answer = await sender.post(body);
      expect(`${body} ${answer.status}`).toBe(`${body} 200`);
      expectWhole(answer.json());
    }
    await sender.say({ text: "full" });
    expect(await reader.texts()).toEqual(["full"]);
  });

  test("does not depend on query parameters or Accept", async () => {
    const { sender, reader } = room();
    const answer = await sender.request("/api/message?gateway=nowhere&text=other", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/html" },
      body: '{"text":"body"}',
    });
    expect(answer.status).toBe(200);
    expect(await reader.texts()).toEqual(["body"]);
  });
});

describe("the fields of POST /api/message", () => {
  async function outcome(body: Fields | string | Uint8Array, headers: Record<string, string> = {}): Promise<Outcome> {
    const { sender, reader } = room();
    const answer = await sender.post(body, headers);
    expect(`${answer.status} ${answer.text}`).toMatch(/^200 /);
    const polled = await reader.poll();
    expect(polled).toHaveLength(1);
    expect(polled[0]).toEqual(answer.json());
    return { answer: answer.json() as Message, seen: polled[0]! };
  }

  test("text, username, userid, avatar, parent_id and event travel as given", async () => {
    const given = {
      text: ' two\nlines\tand \\ "quotes" <b>&amp;</b> \u0000 ',
      username: "Bób 🦜",
      userid: "@u:example.org",
      avatar: "https://example.org/a b.png?x=1&y=2",
      parent_id: "some-parent",
      event: "whatever_label",
    };
    expect((await outcome(given)).seen).toMatchObject(given);
  });

  test.for(["user_action", "join", "Custom Event", "röt"])("the event %s is a label that travels", async (event) => {
    // "join" is shown only where ShowJoinPart says so: the answer alone counts for it.
    const { sender } = room();
    expect(await sender.say({ text: "x", event })).toMatchObject({ event });
  });

  test("an empty username is relayed", async () => {
    expect((await outcome({ text: "nameless" })).seen.username).toBe("");
  });

  test("keys are bound in any case", async () => {
    const body = {
      TEXT: "t",
      UserName: "u",
      USERID: "i",
      Avatar: "a",
      Parent_ID: "p",
      EVENT: "e",
      extra: { FILE: [{ name: "n", data: "QQ==" }] },
    };
    const { seen } = await outcome(body);
    expect(seen).toMatchObject({ text: "t", username: "u", userid: "i", avatar: "a", parent_id: "p", event: "e" });
    expect(seen.Extra?.file[0]).toMatchObject({ Name: "n", Data: "QQ==", Size: 1 });
  });

  test("null is as absent", async () => {
    const nulls = Object.fromEntries(KEYS.filter((key) => key !== "text").map((key) => [key, null]));
    const { seen } = await outcome({ ...nulls, text: "x" });
    expect(seen).toMatchObject({ username: "", userid: "", avatar: "", event: "", parent_id: "", Extra: null });
    const file = {
      Name: null,
      Data: "QQ==",
      Comment: null,
      URL: null,
      Size: null,
      Avatar: null,
      SHA: null,
      NativeID: null,
    };
    expect((await outcome({ text: null, Extra: { file: [file] } })).seen.text).toBe("");
    expect((await outcome({ text: "x", Extra: { file: null } })).seen.Extra).toBeNull();
  });

  test("unknown keys are ignored, whatever they hold", async () => {
    const { answer } = await outcome(
      '{"text":"x","foo":{"a":[1]},"__proto__":{"text":"y"},"constructor":5,"toString":1}',
    );
    expect(Object.keys(answer)).toEqual(KEYS);
    expect(answer.text).toBe("x");
  });

  test("invalid UTF-8 is replaced", async () => {
    const { seen } = await outcome(Buffer.from('{"text":"caf\u00E9 \u00FF!"}', "latin1"));
    expect(seen.text).toBe("caf\uFFFD \uFFFD!");
  });

  test("a lone surrogate escape is replaced, a pair is kept", async () => {
    const { seen } = await outcome(String.raw`{"text":"a\ud800b \ud83e\udd9c"}`);
    expect(seen.text).toBe("a\uFFFDb 🦜");
  });

  test.for([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
    'application/json; charset="utf-8"; x=y',
  ])("Content-Type %s is JSON", async (type) => {
    expect((await outcome({ text: "ünï" }, { "Content-Type": type })).seen.text).toBe("ünï");
  });

  test("a form is bound as well: + and %XX, keys in any case, unknown keys ignored", async () => {
    const body =
      "text=two+words+%26+%C3%BC%0Aline&UserName=bob&userid=u%31&avatar=https%3A%2F%2Fe.org%2Fa&foo=bar&event=e&parent_id=p";
    const { seen } = await outcome(body, { "Content-Type": "application/x-www-form-urlencoded" });
    expect(seen).toMatchObject({
      text: "two words & ü\nline",
      username: "bob",
      userid: "u1",
      avatar: "https://e.org/a",
    });
    expect(seen).toMatchObject({ event: "e", parent_id: "p" });
  });

  test("a form with a charset, or with broken escapes, is bound too", async () => {
    const type = { "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8" };
    expect((await outcome("text=100%+sure%FF", type)).seen.text).toBe("100% sure\uFFFD");
  });

  test("gateway may be left out, null or empty when the account is in exactly one; the message names it", async () => {
    for (const gateway of [undefined, null, ""]) {
      const { sender, reader, gateway: name } = room();
      expect((await sender.say({ text: "x", gateway })).gateway).toBe(name);
      expect((await reader.poll())[0]?.gateway).toBe(name);
    }
  });

  test("emoji short codes become emoji, unknown ones stay", async () => {
    expect((await outcome({ text: "hi :smile: 10:30:45 :nosuchcode:" })).seen.text).toBe("hi 😄 10:30:45 :nosuchcode:");
  });

  test("hops travels as a 14th key when it is above 0 and only then", async () => {
    const { seen } = await outcome({ text: "x", hops: 3 });
    expect(Object.keys(seen)).toEqual([...KEYS, "hops"]);
    expect(seen.hops).toBe(3);
    expect(Object.keys((await outcome({ text: "x", hops: 0 })).seen)).toEqual(KEYS);
    expect(Object.keys((await outcome({ text: "x", hops: null })).seen)).toEqual(KEYS);
    expect((await outcome({ text: "x", hops: 8 })).seen.hops).toBe(8);
  });

  test("a message with more than 8 hops is answered 200 and dropped", async () => {
    const { sender, reader } = room();
    expect((await sender.post({ text: "round and round", hops: 9 })).status).toBe(200);
    await sender.say({ text: "next" });
    expect(await reader.texts()).toEqual(["next"]);
  });

  test("hops that is not an integer is 400", async () => {
    const { sender } = room();
    for (const hops of ["x", 1.5, {}, true]) expectError(await sender.post({ text: "x", hops }), 400, /hops/);
  });

  test("U+2028, U+2029 and U+0085 leave escaped", async () => {
    const { sender, reader } = room();
    const text = "a\u2028b\u2029c\u0085d";
    const stream = await reader.stream();
    const answer = await sender.post({ text, username: text });
    const polled = await reader.request("/api/messages");
    const line = await stream.nextLine();
    for (const wire of [answer.text, polled.text, line]) {
      expect(wire).not.toMatch(/[\u2028\u2029\u0085]/);
      expect(wire).toMatch(/a\\u2028b\\u2029c\\u0085d/);
    }
    expect((JSON.parse(line) as Message).text).toBe(text);
    await stream.close();
  });

  test("a body in chunks, and one announced with Expect, are taken", async () => {
    const { sender, reader } = room();
    const head = "POST /api/message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n8\r\n{"text":\r\n9\r\n"chunked"\r\n1\r\n}\r\n0\r\n\r\n`;
    expect((await rawRequest(sender.url, chunked)).statusLine).toBe("HTTP/1.1 200 OK");
    const connection = await connectRaw(sender.url);
    connection.send(`${head}Content-Length: 19\r\nExpect: 100-continue\r\n\r\n`);
    await connection.until((bytes) => bytes.toString().startsWith("HTTP/1.1 100 Continue\r\n\r\n"), "100 Continue");
    connection.send('{"text":"expected"}');
    await connection.until((bytes) => bytes.includes("HTTP/1.1 200 OK"), "200");
    connection.destroy();
    expect(await reader.texts()).toEqual(["chunked", "expected"]);
  });

  test("requests in one go on one connection are answered in order; HTTP/1.0 is served", async () => {
    const { sender, reader } = room();
    const post = (text: string, version = "1.1"): string => {
      const body = JSON.stringify({ text });
      const head = `POST /api/message HTTP/${version}\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
      return `${head}content-length: ${body.length}\r\n\r\n${body}`;
    };
    const connection = await connectRaw(sender.url);
    connection.send(post("one") + post("two") + post("three"));
    const bytes = await connection.until((received) => received.includes('"text":"three"'), "three answers");
    connection.destroy();
    expect([...bytes.toString().matchAll(/"text":"(\w+)"/g)].map((match) => match[1])).toEqual(["one", "two", "three"]);
    expect((await rawRequest(sender.url, post("four", "1.0"))).statusLine).toBe("HTTP/1.1 200 OK");
    expect(await reader.texts()).toEqual(["one", "two", "three", "four"]);
  });
});

describe("Extra.file of POST /api/message", () => {
  async function fileOf(file: Fields, text = ""): Promise<Fields> {
    const { sender, reader } = room();
    const answer = await sender.say({ text, Extra: { file: [file] } });
    const [seen] = await reader.poll();
    expect(seen).toEqual(answer);
    expectWhole(seen);
    return seen!.Extra!.file[0] as unknown as Fields;
  }

  test("travels with all 8 keys, its Size counted from the data", async () => {
    const file = {
      Name: "a.txt",
      Data: "aGVsbG8=",
      Comment: "c",
      URL: "https://e.org/a.txt",
      Size: 99,
      Avatar: true,
      SHA: "s",
      NativeID: "n",
    };
    const seen = await fileOf(file);
    expect(Object.keys(seen)).toEqual(FILE_KEYS);
    expect(seen).toEqual({ ...file, Size: 5 });
  });

  test("is filled up where keys are left out", async () => {
    const empty = { Comment: "", URL: "", Avatar: false, SHA: "", NativeID: "" };
    expect(await fileOf({ Name: "x", Data: "QQ==" })).toEqual({ Name: "x", Data: "QQ==", Size: 1, ...empty });
  });

  test("may be known by its URL alone; Data is then empty", async () => {
    expect(await fileOf({ Name: "x", URL: "https://e.org/x" })).toMatchObject({ URL: "https://e.org/x", Data: "" });
  });

  test.for([
    ["line breaks", "aGVs\r\nbG8=\n", "aGVsbG8="],
    ["spare bits", "QR==", "QQ=="],
  ] as const)("comes back as canonical base64 when it had %s", async ([, given, canonical]) => {
    expect((await fileOf({ Name: "x", Data: given }))["Data"]).toBe(canonical);
  });

  test("a Size or Avatar that is a string counts as not given, as in the reference", async () => {
    expect(await fileOf({ Name: "x", Data: "QQ==", Size: "5" })).toMatchObject({ Size: 1 });
    expect(await fileOf({ Name: "x", Data: "QQ==", Avatar: "true" })).toMatchObject({ Avatar: false });
  });

  test("several files keep their order, beside a text", async () => {
    const { sender, reader } = room();
    const file = ["a", "b", "c"].map((Name) => ({ Name, Data: "QQ==" }));
    await sender.say({ text: "three", Extra: { file } });
    const [seen] = await reader.poll();
    expect(seen?.text).toBe("three");
    expect(seen?.Extra?.file.map((each) => each.Name)).toEqual(["a", "b", "c"]);
  });

  test("other keys of Extra are dropped; without files Extra is null", async () => {
    const { sender, reader } = room();
    const file = [{ Name: "a", Data: "QQ==" }];
    for (const Extra of [{}, { file: [] }, { attachments: [{ a: 1 }] }]) {
      expect((await sender.say({ text: "x", Extra })).Extra).toBeNull();
    }
    const { Extra } = await sender.say({ text: "x", Extra: { attachments: [1], file, failure: ["f"] } });
    expect(Object.keys(Extra ?? {})).toEqual(["file"]);
    expect((await reader.poll()).map((message) => message.Extra?.file.length ?? 0)).toEqual([0, 0, 0, 1]);
  });

  test("5 MB of data arrive unchanged by poll and by stream", async () => {
    const { sender, reader } = room();
    const stream = await reader.stream();
    const data = Buffer.from(Uint8Array.from({ length: 5_000_000 }, (_, at) => (at * 7919) % 256)).toString("base64");
    await sender.say({ text: "big", Extra: { file: [{ Name: "big.bin", Data: data }] } });
    for (const message of [await stream.next(), (await reader.poll())[0]]) {
      expect(message?.Extra?.file[0]?.Size).toBe(5_000_000);
      expect(message?.Extra?.file[0]?.Data === data).toBe(true);
    }
    await stream.close();
  });
});

test("the default limit of a body is 16 MiB: 15 MiB pass, 17 MiB are 413", async () => {
  const accounts = { sender: {}, reader: {} };
  const rialto = await launch({ config: toml({ accounts, gateways: { g: { inout: ["sender", "reader"] } } }) });
  const text = "x".repeat(15 * 1024 * 1024);
  await rialto.client("sender").say({ text });
  expect((await rialto.client("reader").texts())[0]?.length).toBe(text.length);
  expectError(await rialto.client("sender").post({ text: text + "x".repeat(2 * 1024 * 1024) }), 413);
});
