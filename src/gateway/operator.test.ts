import { expect, test } from "vitest";
import { decode } from "./codec.ts";
import { OPERATOR, operatorEntry } from "./operator.ts";
import { anAccount } from "./samples.suite.ts";
import { accountOf } from "./subject.ts";
import { compileView } from "./view.ts";

const entry = operatorEntry({ gateway: "a/b", text: "hello", username: "ann", atMs: 0 });

test("an operator's words are a message of an account of their own", () => {
  expect(entry.subject).toBe("rialto.operator/a/b");
  expect(accountOf(entry.subject)).toBe(OPERATOR);
  expect(decode(entry.payload)).toMatchObject({
    text: "hello",
    username: "ann",
    account: OPERATOR,
    gateway: "a/b",
    event: "",
    timestamp: "1970-01-01T00:00:00.000Z",
  });
  expect(entry.note).toEqual({
    is: "said",
    refs: [],
    author: '["operator",null]',
    name: "ann",
    excerpt: "hello",
  });
});

test("a reader of the API sees them like other messages", () => {
  const view = compileView(anAccount("api.web", { remoteNickFormat: "[{PROTOCOL}] <{NICK}> " }), new Map());
  const line = view.line({ seq: 1, account: OPERATOR, payload: entry.payload }, "a/b");
  expect(JSON.parse(line)).toMatchObject({ username: "[rialto] <ann> ", text: "hello", gateway: "a/b" });
});
