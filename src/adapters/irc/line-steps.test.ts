import { expect, test } from "vitest";
import { LINE_STEPS, type LineTakers } from "./line-steps.ts";
import { parseLine } from "./wire/wire.ts";

/** Who is called by a line, in order. */
function called(text: string): readonly string[] {
  const calls: string[] = [];
  const says = (name: string) => () => void calls.push(name);
  const takers: LineTakers = {
    login: { take: says("login") },
    selfCheck: { take: says("selfCheck") },
    flow: {
      take: (_, label) => {
        calls.push(`flow ${label ?? "without a label"}`);
        return true;
      },
    },
    batches: { labelOf: (line) => line.tags.get("label") ?? null },
    ctcp: { take: says("ctcp") },
    privateReplies: { take: says("privateReplies") },
    inbound: { take: says("inbound") },
    channels: { take: says("channels") },
    nickKeeper: { take: says("nickKeeper"), look: says("nickKeeper.look") },
    link: { learn: says("link") },
  };
  const line = parseLine(text);
  if (line === null) throw new Error(`no line: ${text}`);
  for (const { take } of LINE_STEPS) take(line, takers);
  return calls;
}

test("a line passes every part in its order, whatever the parts before say", () => {
  const order = ["login", "selfCheck", "flow 7", "ctcp", "privateReplies", "inbound", "channels", "nickKeeper", "link"];
  expect(called("@label=7 :rialto!r@h PRIVMSG #a :hello")).toStrictEqual(order);
});

test("a NICK has events before the channels know of it, and is learned before our nick is looked at", () => {
  const calls = called(":rialto_!r@h NICK rialto");
  expect(calls.slice(-5)).toStrictEqual(["inbound", "channels", "nickKeeper", "link", "nickKeeper.look"]);
});

test("the steps by name", () => {
  expect(LINE_STEPS.map(({ name }) => name)).toStrictEqual([
    "answers to the login",
    "answers to the self-check",
    "answers to what was sent",
    "CTCP requests",
    "private messages",
    "events",
    "who is where",
    "whether our nick is free",
    "our own nick and address",
    "whether we have our nick",
  ]);
});
