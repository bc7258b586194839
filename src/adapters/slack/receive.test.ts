import { describe, expect, test } from "vitest";
import { NO_NAMES } from "../../content/slack-tokens.ts";
import type { OpId } from "../../contract/ids.ts";
import { userRef } from "./ids.ts";
import { slackMessage } from "./message.suite.ts";
import { digestOf, edited, neededFor, type SlackReceiveContext, toEvent } from "./receive.ts";

const NAMES: Readonly<Record<string, string>> = { U1: "Alice", U2: "Bob", UME: "rialto" };

const context: SlackReceiveContext = {
  me: "UME",
  isOurs: ({ user, botId }) => user === "UME" || botId === "BME",
  opOf: ({ text }) => (text === "of an op" ? ("op" as OpId) : null),
  author: (user, fallback = "") => ({
    id: userRef(user),
    identity: null,
    name: NAMES[user] ?? (fallback || "somebody"),
    avatar: null,
  }),
  names: { ...NO_NAMES, user: (id) => NAMES[id] ?? null },
  emoji: (name) => `:${name}:`,
};

/** What is told of it, in short; null: nothing. */
function told(raw: Readonly<Record<string, unknown>>): string | null {
  const event = toEvent(slackMessage(raw), context);
  if (event === null) return null;
  if (event.kind !== "posted") return "text" in event ? `${event.kind}: ${event.text}` : event.kind;
  const { author, body, thread, echoOf } = event;
  const files = body.files.map(({ name }) => ` [${name}]`).join("");
  const marks = [body.style === "normal" ? "" : body.style, thread ?? "", echoOf ?? ""].filter((mark) => mark !== "");
  return `${author.name}: ${body.source.text}${files}${marks.length === 0 ? "" : ` (${marks.join(" ")})`}`;
}

const FILE = { id: "F1", name: "a.txt", mode: "hosted", url_private: "https://files.slack.com/a" };

describe("what a message tells", () => {
  test.each<[Readonly<Record<string, unknown>>, string | null]>([
    [{}, "Alice: hello"],
    [{ text: "" }, null],
    [{ text: "hi <@U2> &amp; <@U9>" }, "Alice: hi <@U2|Bob> & <@U9|unknown-user>"],
    [{ subtype: "me_message" }, "Alice: hello (action)"],
    // In threads, and the root of one.
    [{ thread_ts: "1699999999.000100" }, "Alice: hello (1699999999.000100)"],
    [{ thread_ts: "1700000000.000100", reply_count: 2 }, "Alice: hello"],
    [{ thread_ts: "1699999999.000100", subtype: "thread_broadcast" }, "Alice: hello (1699999999.000100)"],
    // Ours.
    [{ user: "UME" }, "rialto: hello (self)"],
    [{ user: "UME", text: "of an op" }, "rialto: of an op (op)"],
    [{ user: "", bot_id: "BME", username: "irc: bob" }, "irc: bob: hello (self)"],
    // Programs.
    [{ user: "", bot_id: "B1", subtype: "bot_message", username: "Deploys" }, "Deploys: hello"],
    [{ user: "", bot_id: "B1", bot_profile: { name: "CI" } }, "CI: hello"],
    [{ user: "", bot_id: "B1" }, "a program: hello"],
    [{ user: "U0OTHERBOT", bot_id: "B1", bot_profile: { name: "Other Bot" } }, "Other Bot: hello"],
    [{ user: "U1", bot_id: "B1", bot_profile: { name: "Other Bot" } }, "Alice: hello"],
    [{ username: "I am not Bob" }, "Alice: hello"],
    // Strangers.
    [{ user: "U9", user_profile: { display_name: "Eve\n" } }, "Eve: hello"],
    [{ user: "U9" }, "somebody: hello"],
    // Pages of links say nothing; what programs attach does.
    [{ attachments: [{ from_url: "https://example.org", title: "A page" }] }, "Alice: hello"],
    [{ text: "", attachments: [{ fallback: "built", text: "built" }] }, "Alice: built"],
    // Files.
    [{ files: [FILE] }, "Alice: hello [a.txt]"],
    [{ text: "", files: [FILE] }, "Alice:  [a.txt]"],
    [{ text: "", files: [{ id: "F1", mode: "tombstone" }] }, "Alice: (a file that was deleted)"],
    [{ files: [{ ...FILE, file_access: "access_denied" }] }, "Alice: hello\n(file: a.txt)"],
    [
      { files: [{ id: "F1", file_access: "check_file_info" }] },
      "Alice: hello\n(a file of another workspace, which Rialto cannot open)",
    ],
    [
      { attachments: [{ is_share: true, author_name: "Tom", text: "words" }] },
      "Alice: hello\nforwarded from Tom:\n> words",
    ],
    [
      { files: [{ ...FILE, mode: "quip", title: "Notes", permalink: "https://x.slack.com/docs/1" }] },
      "Alice: hello\n(file: <https://x.slack.com/docs/1|Notes>)",
    ],
    // What the server says.
    [{ subtype: "channel_join", text: "<@U1> has joined the channel" }, "member: Alice joins"],
    [{ subtype: "group_leave" }, "member: Alice leaves"],
    [{ subtype: "channel_leave", user: "USLACKBOT", text: "<@U2> was removed" }, "member: Bob was removed"],
    [{ subtype: "channel_join", user: "UME" }, null],
    [
      { subtype: "channel_topic", topic: "2 * 3 &lt; _7_ <@U2>" },
      "topic: Alice changed the topic to: 2 * 3 < _7_ @Bob",
    ],
    [{ subtype: "group_topic", topic: "" }, "topic: Alice removed the topic"],
    [{ subtype: "channel_purpose", purpose: "to talk" }, "topic: Alice changed the purpose to: to talk"],
    [{ subtype: "channel_name", old_name: "a", name: "b" }, "Alice: renamed the channel from a to b (action)"],
    [{ subtype: "group_archive", text: "archived the channel" }, null],
    [{ subtype: "pinned_item" }, "Alice: pinned a message (action)"],
    [{ subtype: "channel_fun", text: "<@U1|alice> did *something*" }, "Alice: did *something* (action)"],
    [{ subtype: "tombstone", text: "This message was deleted." }, null],
    [{ subtype: "reply_broadcast" }, null],
  ])("%j: %s", (raw, words) => {
    expect(told(raw)).toBe(words);
  });

  test("only a topic is one that can be set elsewhere", () => {
    const topics = ["topic", "purpose"].map((field) =>
      toEvent(slackMessage({ subtype: `channel_${field}`, [field]: "a  b" }), context),
    );
    expect(topics).toMatchObject([{ topic: "a b" }, { topic: null }]);
  });

  test("the same has the same key, and an edit one of its own for what it says", () => {
    const message = slackMessage({ edited: { user: "U1", ts: "1700000005.000000" } });
    const other = slackMessage({ text: "hello!", edited: { user: "U1", ts: "1700000005.000000" } });
    expect(toEvent(message, context)?.key).toBe(toEvent(other, context)?.key);
    const [first, again, second] = [message, slackMessage({ ...message.raw }), other].map((one) =>
      edited(one, context),
    );
    expect([first?.key === again?.key, first?.key === second?.key]).toEqual([true, false]);
    expect(first).toMatchObject({ atMs: 1_700_000_005_000, vouched: true, message: "1700000000.000100" });
    expect(edited(slackMessage({ subtype: "channel_topic", topic: "x" }), context)).toBeNull();
  });
});

test("what the server adds or names anew says the same", () => {
  const blocks = [{ type: "rich_text", block_id: "a", elements: [] }];
  const same = [
    { blocks },
    { blocks: [{ ...blocks[0], block_id: "b" }] },
    { blocks, attachments: [{ id: 1, from_url: "https://example.org" }] },
    { blocks, reply_count: 3, latest_reply: "1700000009.000000" },
  ];
  expect(new Set(same.map((raw) => digestOf(slackMessage(raw)))).size).toBe(1);
  const others = [{ text: "x" }, { files: [FILE] }, { attachments: [{ text: "x" }] }];
  expect(new Set([{}, ...others].map((raw) => digestOf(slackMessage(raw)))).size).toBe(4);
});

test("who has to be known: the author, who is named, who comes, and who reacts", () => {
  const raw = { text: "<@U2> in <#C7> <!subteam^S1>", reactions: [{ name: "x", users: ["U3"], count: 1 }] };
  expect(neededFor(slackMessage(raw))).toEqual({ users: ["U1", "U2", "U3"], channels: ["C7"], groups: ["S1"] });
  const removed = { subtype: "channel_leave", user: "USLACKBOT", text: "<@U2> was removed" };
  expect(neededFor(slackMessage(removed)).users).toContain("U2");
});
