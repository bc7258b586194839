import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { parseFormPost, parseJsonPost, type Draft } from "./post-body.ts";

const parse = (body: string | Buffer) => parseJsonPost(Buffer.from(body));
const draft = (body: string | Buffer): Draft => {
  const parsed = parse(body);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.draft;
};

describe("what is taken", () => {
  test.each([
    ['{"text":"a","username":"u","gateway":"g"}', { text: "a", username: "u", gateway: "g" }],
    ['{"TEXT":"a","UserName":"u","GateWay":"g"}', { text: "a", username: "u", gateway: "g" }],
    [
      '{"text":null,"userid":"i","avatar":"v","parent_id":"p","event":"user_action"}',
      { text: "", userid: "i", avatar: "v", parent_id: "p", event: "user_action" },
    ],
    [
      '{"channel":1,"account":[],"protocol":{},"timestamp":"yesterday","id":7,"strange":true,"text":"a"}',
      { text: "a", id: "" },
    ],
    ['{"ID":"7","event":"msg_delete"}', { id: "7", event: "msg_delete" }],
    ["", { text: "" }],
    ["null", { text: "" }],
    ["\uFEFF{}", { text: "" }],
    ['{"Extra":{}}', { files: [] }],
    ['{"extra":{"attachments":[1]}}', { files: [] }],
    ['{"text":"a","hops":3}', { hops: 3 }],
    ['{"text":"\\ud800"}', { text: "\ufffd" }],
  ])("%s", (body, expected) => {
    expect(draft(body)).toMatchObject(expected);
  });

  test("invalid UTF-8 becomes U+FFFD", () => {
    expect(draft(Buffer.from('{"text":"caf\xe9"}', "latin1")).text).toBe("caf\ufffd");
  });

  test("a file's size is counted, its base64 loses line breaks, a size given as text is passed over", () => {
    const [file] = draft('{"Extra":{"file":[{"Name":"n","data":"aGVs\\r\\nbG8=","size":"9"}]}}').files;
    expect(file).toEqual({
      Name: "n",
      Comment: "",
      URL: "",
      Size: 5,
      Avatar: false,
      SHA: "",
      NativeID: "",
      content: Buffer.from("hello"),
    });
  });

  test.each(["aGk=", "aGl=", "aGVs", "YQ==", "YR=="])("base64 %s, whatever its spare bits", (data) => {
    expect(draft(`{"Extra":{"file":[{"Data":"${data}"}]}}`).files[0]?.content?.toString()).toMatch(/^(hi|hel|a)$/);
  });

  test("a file may be empty", () => {
    expect(draft('{"Extra":{"file":[{"Name":"n","Data":""}]}}').files[0]).toMatchObject({
      Size: 0,
      content: Buffer.alloc(0),
    });
  });

  test.each([
    ["true", true],
    ['" the ending "', "the ending"],
    ['""', true],
    ["false", undefined],
    ["null", undefined],
  ])("a file with the spoiler %s", (given, spoiler) => {
    expect(draft(`{"Extra":{"file":[{"Data":"aGk=","spoiler":${given}}]}}`).files[0]?.Spoiler).toBe(spoiler);
  });

  test("a file may be an address only", () => {
    expect(draft('{"Extra":{"file":[{"URL":"https://x/y","Size":7}]}}').files[0]).toMatchObject({
      content: null,
      URL: "https://x/y",
      Size: 7,
    });
  });
});

describe("what is refused, naming the place", () => {
  test.each([
    ["{bad", /a key or \} was expected at line 1, column 2 \(offset 1\)/],
    ['{"text":\n"a"', /line 2, column 4/],
    ['{"text":"a"} tail', /offset 13/],
    ['{"text":"a",}', /not valid JSON/],
    ['{"text":1}', /^text must be string; got the number 1$/],
    ['{"username":["a"]}', /^username .*got an array/],
    ["[]", /must be a JSON object.*got an array/],
    ['"text"', /got a string/],
    ['{"Extra":3}', /^Extra must be object/],
    ['{"Extra":{"file":{}}}', /^Extra\.file must be array/],
    ['{"Extra":{"file":["x"]}}', /^Extra\.file\[0\] must be object/],
    ['{"Extra":{"file":[{"Data":"","URL":""}]}}', /^Extra\.file\[0\] has neither Data nor URL/],
    ['{"Extra":{"file":[{"URL":"u"},{"Name":"n"}]}}', /^Extra\.file\[1\] has neither Data nor URL/],
    ['{"Extra":{"file":[{"Data":"a"}]}}', /Extra\.file\[0\]\.Data is not standard base64/],
    ['{"Extra":{"file":[{"Data":"aGk"}]}}', /not standard base64/],
    ['{"Extra":{"file":[{"Data":"_-8="}]}}', /not standard base64/],
    ['{"Extra":{"file":[{"Data":"aG$="}]}}', /not standard base64/],
    ['{"Extra":{"file":[{"Data":"a==="}]}}', /not standard base64/],
    ['{"Extra":{"file":[{"Data":"aG k="}]}}', /not standard base64/],
    ['{"event":"api_connected"}', /service's own/],
    ['{"event":"file_delete"}', /service's own/],
    ['{"hops":1.5}', /^hops must be integer/],
  ])("%s", (body, message) => {
    const parsed = parse(body);
    expect(parsed.ok ? "taken" : parsed.problem.status).toBe(400);
    expect(parsed.ok ? "taken" : parsed.problem.message).toMatch(message);
  });
});

test("a form is bound as well; of a repeated field the last counts", () => {
  const parsed = parseFormPost(Buffer.from("text=a+b%21&text=c&USERNAME=u&gateway=g"));
  expect(parsed).toMatchObject({ ok: true, draft: { text: "c", username: "u", gateway: "g" } });
});

test("no body makes it throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1")),
      ),
      (body) => {
        expect(typeof parse(body).ok).toBe("boolean");
        expect(typeof parseFormPost(Buffer.from(body)).ok).toBe("boolean");
      },
    ),
  );
});
