import { describe, expect, test } from "vitest";
import { toml } from "./config.ts";
import { parseAnswer } from "./raw.ts";
import { readAsPythonRequests, readStrictly, splitLines } from "./strict.ts";
import { eventually, Inbox, within } from "./wait.ts";

const never = new Promise<string>(() => undefined);

describe("parseAnswer", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n";

  test("reads a body of known length and what follows it", () => {
    const answer = parseAnswer(Buffer.from(`${head}Content-Length: 2\r\n\r\nOKmore`));
    expect(answer).toMatchObject({ statusLine: "HTTP/1.1 200 OK", complete: true });
    expect(answer?.headers.get("content-type")).toBe("a/b");
    expect([answer?.body.toString(), answer?.rest.toString()]).toEqual(["OK", "more"]);
  });

  test("knows what is not whole", () => {
    expect(parseAnswer(Buffer.from(head))).toBeNull();
    expect(parseAnswer(Buffer.from(`${head}Content-Length: 3\r\n\r\nOK`))?.complete).toBe(false);
    expect(parseAnswer(Buffer.from(`${head}\r\nOK`))).toMatchObject({ complete: false });
    for (const body of ["", "2", "2\r\n", "2\r\nOK", "2\r\nOK\r\n", "2\r\nOK\r\n0\r\n"]) {
      const answer = parseAnswer(Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${body}`));
      expect(answer?.complete).toBe(false);
      expect(answer?.body.toString()).toBe(body.startsWith("2\r\nOK\r\n") ? "OK" : "");
    }
  });

  test("keeps chunks apart", () => {
    const answer = parseAnswer(
      Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n`),
    );
    expect(answer?.chunks.map(String)).toEqual(["ab", "0123456789"]);
    expect(answer?.complete).toBe(true);
  });
});

describe("the strict clients", () => {
  const whole = Object.fromEntries(
    "text channel username userid avatar account event protocol gateway parent_id timestamp id"
      .split(" ")
      .map((key) => [key, ""]),
  );

  test("split lines where Python does", () => {
    expect(splitLines("a\r\nb\rc\nd\u2028e\u2029f\u0085g\n")).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
    expect(splitLines("")).toEqual([]);
  });

  test("join a line that was split over chunks, and not one that a raw U+2028 broke", () => {
    expect(readAsPythonRequests(["a", "b\nc", "d\n"].map((part) => Buffer.from(part)))).toEqual(["ab", "cd"]);
    expect(readAsPythonRequests([Buffer.from("a\u2028b\n")])).toEqual(["a", "b"]);
    expect(readAsPythonRequests([Buffer.from("a\nno end")])).toEqual(["a"]);
  });

  test("take a whole message and nothing less", () => {
    expect(readStrictly(JSON.stringify({ ...whole, Extra: null }))).toMatchObject({ text: "" });
    expect(() => readStrictly(JSON.stringify(whole))).toThrow(/Extra is missing/);
    expect(() => readStrictly(JSON.stringify({ ...whole, Extra: null, id: null }))).toThrow(/id is not a string/);
    for (const line of ["", " ", "null", "[]", '"x"', "{}{}"]) expect(() => readStrictly(line)).toThrow(Error);
  });
});

describe("waiting", () => {
  test("within passes a value on, and says what did not come", async () => {
    expect(await within(Promise.resolve("x"), () => "x")).toBe("x");
    await expect(within(never, () => "the impossible", 1)).rejects.toThrow(/the impossible/);
  });

  test("eventually asks until it is enough", async () => {
    let asked = 0;
    expect(
      await eventually(
        async () => (asked += 1),
        (count) => count === 3,
        () => "three",
      ),
    ).toBe(3);
  });

  test("an inbox gives in order, waits, and fails at the end of its source", async () => {
    const inbox = new Inbox<number>();
    inbox.push(1);
    inbox.push(2);
    expect([await inbox.next(() => "1", never), await inbox.next(() => "2", never)]).toEqual([1, 2]);
    const third = inbox.next(() => "3", never);
    inbox.push(3);
    expect(await third).toBe(3);
    await expect(inbox.next(() => "a fourth", Promise.resolve("closed"))).rejects.toThrow(/closed.*a fourth/);
  });
});

test("toml writes accounts, settings and gateways", () => {
  expect(
    toml({
      general: { Buffer: 5 },
      accounts: { a: { Token: 'x"y', ReplaceMessages: [["a", "b"]] } },
      gateways: { g: { enable: false, inout: ["a"] } },
    }),
  ).toBe(
    `[general]
Buffer = 5
[api.a]
Token = "x\\"y"
ReplaceMessages = [["a","b"]]
[[gateway]]
name = "g"
enable = false
[[gateway.inout]]
account = "api.a"
channel = "api"
`,
  );
});
