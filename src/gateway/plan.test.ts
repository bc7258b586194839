import { describe, expect, test } from "vitest";
import type { Account, PresentationSettings } from "../config/config.ts";
import type { Capabilities, Level } from "../contract/capabilities.ts";
import type { FileItem, Message } from "../contract/message.ts";
import { encode, encodeStored } from "./codec.ts";
import { compilePlan, type Plan } from "./plan.ts";
import { aFile, aMessage, anAccount } from "./samples.suite.ts";

/** The name of a format of text. */
const FORMAT = "irc";

function capabilities(notice: Level): Capabilities {
  return {
    ops: { edit: "none", delete: "none", react: "none" },
    reply: "none",
    thread: "none",
    notice,
    fileIn: "none",
    fileOut: "none",
    members: "none",
    topic: "none",
    history: "none",
    identity: ["prefix"],
    idempotency: { by: "none" },
    proof: "server",
    formats: ["text", "para"],
    limits: { textMax: 400, textUnit: "bytes", inflightMax: 1 },
  };
}

function planOf(presentation: Partial<PresentationSettings> = {}, sources: readonly Account[] = []): Plan {
  const destination = anAccount("net.there", presentation);
  const accounts = new Map([destination, ...sources].map((each) => [each.key, each]));
  return compilePlan(destination, accounts, capabilities("none"));
}

const draftOf = (message: Partial<Message>): ReturnType<Plan["post"]> => planOf().post(encode(aMessage(message)), "g");

describe("which events go there", () => {
  const noticing = compilePlan(anAccount("net.there"), new Map(), capabilities("emulated"));
  const showing = planOf({ showJoinPart: true, showTopicChange: true });
  test.each([
    ["", [true, true, true]],
    ["user_action", [true, true, true]],
    ["notice_irc", [false, true, false]],
    ["join", [false, false, true]],
    ["leave", [false, false, true]],
    ["join_leave", [false, false, true]],
    ["topic_change", [false, false, true]],
    ["user_typing", [false, false, false]],
    ["msg_delete", [false, false, false]],
  ])("%j: plain, with notices, with ShowJoinPart and ShowTopicChange", (label, expected) => {
    expect([planOf(), noticing, showing].map((plan) => plan.admits(label))).toEqual(expected);
  });
});

test("the author as the origin has it, and as the destination shows it", () => {
  const source = anAccount("net.libera", { replaceNicks: [["o", "0"]] });
  const plan = planOf({ remoteNickFormat: "[{GATEWAY}] <{NICK}> ", iconURL: "https://icon.example/{NICK}" }, [source]);
  expect(plan.post(encode(aMessage({ username: "bob", userid: "u1" })), "main").author).toEqual({
    id: "u1",
    name: "bob",
    shown: "[main] <b0b> ",
    avatar: "https://icon.example/bob",
  });
  expect(draftOf({ avatar: "" }).author?.avatar).toBeNull();
  expect(draftOf({ avatar: "https://a.example/x" }).author?.avatar).toBe("https://a.example/x");
});

test.each([
  ["", "normal"],
  ["user_action", "action"],
  ["notice_irc", "notice"],
  ["join", "normal"],
])("an event %j is a post of style %s", (event, style) => {
  expect(draftOf({ event }).body.style).toBe(style);
});

test("without a source the text is plain, with one the source is read", () => {
  expect(draftOf({ text: "2 * 3 * 4" }).body).toMatchObject({
    source: { format: "plain", text: "2 * 3 * 4" },
    blocks: [{ t: "para", of: [{ t: "text", text: "2 * 3 * 4" }] }],
  });
  const stored = encodeStored(aMessage({ text: "loud" }), { format: FORMAT, text: "\u0002loud\u0002" });
  const { body } = planOf().post(stored, "g");
  expect(body.source).toEqual({ format: FORMAT, text: "\u0002loud\u0002" });
  expect(JSON.stringify(body.blocks)).toContain("bold");
});

describe("files", () => {
  test.each<[string, Partial<FileItem>, object]>([
    ["all fields", {}, { name: "a.txt", comment: "", bytes: 2, url: null }],
    ["a link", { Data: "", Size: 0, URL: "https://f.example/a" }, { bytes: null, url: "https://f.example/a" }],
    ["a size nobody gave, of 1 byte", { Size: 0, Data: "aA==" }, { bytes: 1 }],
    ["of 2 bytes", { Size: 0, Data: "aGk=" }, { bytes: 2 }],
    ["of 3 bytes", { Size: 0, Data: "aGkh" }, { bytes: 3 }],
    ["a comment", { Comment: "look" }, { comment: "look" }],
  ])("%s", (_name, file, expected) => {
    expect(draftOf({ Extra: { file: [aFile(file)] } }).body.files).toEqual([expect.objectContaining(expected)]);
  });
});

const at = (iso: string): number => Date.parse(iso);

test.each([
  [
    12,
    "2026-01-01T14:02:59Z",
    "2026-01-01T15:30:00Z",
    "12 messages from 14:02 to 15:30 UTC waited too long and are left out.",
  ],
  [
    2,
    "2026-01-01T23:50:00Z",
    "2026-01-02T01:10:00Z",
    "2 messages from 2026-01-01 23:50 to 2026-01-02 01:10 UTC waited too long and are left out.",
  ],
  [1, "2026-01-01T14:02:00Z", "2026-01-01T14:02:00Z", "1 message from 14:02 UTC waited too long and is left out."],
])("%i expired", (count, from, to, text) => {
  const { author, body } = planOf().expired({ count, fromMs: at(from), toMs: at(to) });
  expect(author).toBeNull();
  expect(body).toEqual({
    style: "normal",
    source: { format: "plain", text },
    blocks: [{ t: "para", of: [{ t: "text", text }] }],
    files: [],
  });
});
