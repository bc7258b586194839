import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Account, PresentationSettings } from "../config/config.ts";
import type { Message } from "../contract/message.ts";
import { decode, encode } from "./codec.ts";
import { aFile, aMessage, anAccount, frozen } from "./samples.suite.ts";
import { compileView, type View } from "./view.ts";

function viewOf(reader: Partial<PresentationSettings>, sources: readonly Account[] = []): View {
  const account = anAccount("api.reader", reader);
  return compileView(account, new Map([account, ...sources].map((each) => [each.key, each])));
}

const source = (presentation: Partial<PresentationSettings>): Account => anAccount("net.Libera", presentation);

describe("names", () => {
  test.each<[string, Partial<PresentationSettings>, Partial<PresentationSettings>, Partial<Message>, string]>([
    ["the plain name", {}, {}, {}, "bob"],
    ["the common format", { remoteNickFormat: "[{PROTOCOL}] <{NICK}> " }, {}, {}, "[net] <bob> "],
    [
      "every placeholder",
      { remoteNickFormat: "{NOPINGNICK}|{BRIDGE}|{PROTOCOL}|{GATEWAY}|{LABEL}|{USERID}|{CHANNEL}|{TENGO}" },
      { label: "L" },
      {},
      "b\u200bob|Libera|net|main|L|u1|#room|",
    ],
    ["StripNick of the reader", { stripNick: true }, {}, { username: "b-o.b" }, "bob"],
    ["StripNick of the source is for what goes there", {}, { stripNick: true }, { username: "b-o.b" }, "b-o.b"],
    [
      "ReplaceNicks of the source",
      {},
      {
        replaceNicks: [
          ["o", "0"],
          ["(0)", "<$1>"],
        ],
      },
      {},
      "b<0>b",
    ],
    ["ReplaceNicks of the reader is for what it says", { replaceNicks: [["o", "0"]] }, {}, {}, "bob"],
    [
      "StripNick, then ReplaceNicks, then the format",
      { stripNick: true, remoteNickFormat: "<{NICK}>" },
      { replaceNicks: [["^bob$", "b-b"]] },
      { username: "b.o.b" },
      "<b-b>",
    ],
    [
      "a name that contains a placeholder",
      { remoteNickFormat: "{NICK}/{USERID}" },
      {},
      { username: "{USERID}" },
      "{USERID}/u1",
    ],
  ])("%s", (_name, reader, from, fields, username) => {
    const message = frozen(aMessage({ account: "net.Libera", ...fields }));
    expect(viewOf(reader, [source(from)]).show(message, "main").username).toBe(username);
  });

  test("a source that left the configuration still has a name", () => {
    const view = viewOf({ remoteNickFormat: "{BRIDGE} {PROTOCOL} {LABEL}{NICK}" });
    expect(view.show(frozen(aMessage({ account: "net.Gone.x" })), "main").username).toBe("Gone.x net bob");
  });
});

test.each([
  ["", "", ""],
  ["", "https://a.example/x.png", "https://a.example/x.png"],
  ["https://icon.example/{NICK}", "https://a.example/x.png", "https://a.example/x.png"],
  ["https://icon.example/{PROTOCOL}/{BRIDGE}/{NICK}", "", "https://icon.example/net/libera/b%20b"],
])("IconURL %j with the avatar %j", (iconURL, avatar, expected) => {
  const view = viewOf({ iconURL, remoteNickFormat: "<{NICK}>" });
  expect(view.show(frozen(aMessage({ avatar, username: "b b" })), "main").avatar).toBe(expected);
});

test("all else stays, the gateway is filled in, keys keep their order", () => {
  const message = frozen(aMessage({ text: "{NICK} :smile:", Extra: { file: [aFile()] }, hops: 2, gateway: "other" }));
  const shown = viewOf({ remoteNickFormat: "{GATEWAY}/{NICK}" }).show(message, "main");
  expect(shown).toEqual({ ...message, username: "main/bob", gateway: "main" });
  expect(Object.keys(shown)).toEqual(Object.keys(message));
  expect(Object.hasOwn(viewOf({}).show(frozen(aMessage()), "main"), "hops")).toBe(false);
});

test.each([
  ["", [true, true, true]],
  ["user_action", [true, true, true]],
  ["anything", [true, true, true]],
  ["join_leave", [false, true, false]],
  ["join", [false, true, false]],
  ["leave", [false, true, false]],
  ["topic_change", [false, false, true]],
  ["user_typing", [false, false, false]],
  ["notice_irc", [false, false, false]],
  ["avatar_download", [false, false, false]],
  ["msg_delete", [false, false, false]],
  ["file_delete", [false, false, false]],
])("admits %j: by default, with ShowJoinPart, with ShowTopicChange", (event, expected) => {
  const views = [viewOf({}), viewOf({ showJoinPart: true }), viewOf({ showTopicChange: true })];
  expect(views.map((view) => view.admits(event))).toEqual(expected);
});

describe("verbatim", () => {
  test.each<[string, Partial<PresentationSettings>, Account, boolean]>([
    ["plain", {}, anAccount("api.src"), true],
    ["any other format", { remoteNickFormat: "{NICK} " }, anAccount("api.src"), false],
    ["StripNick", { stripNick: true }, anAccount("api.src"), false],
    ["IconURL", { iconURL: "https://icon.example/x" }, anAccount("api.src"), false],
    ["ReplaceNicks of the source", {}, anAccount("api.src", { replaceNicks: [["a", "b"]] }), false],
    ["ReplaceNicks of the reader", { replaceNicks: [["a", "b"]] }, anAccount("api.src"), true],
    ["a source whose messages name no gateway", {}, anAccount("net.src"), false],
  ])("%s", (_name, reader, from, expected) => {
    expect(viewOf(reader, [from]).verbatim(from.key)).toBe(expected);
  });

  test("an unknown source is not", () => {
    expect(viewOf({}).verbatim("api.gone")).toBe(false);
  });

  test("where it is true, show changes nothing; show never changes the message given", () => {
    const word = fc.oneof(fc.string(), fc.constantFrom("{NICK}", "", "a", "b.b"));
    const reader = fc.record({
      remoteNickFormat: fc.constantFrom("{NICK}", "<{NICK}>", "{LABEL}{NICK}"),
      stripNick: fc.boolean(),
      iconURL: fc.constantFrom("", "https://icon.example/{NICK}"),
    });
    const from = fc.record({ label: word, replaceNicks: fc.constantFrom([], [["a", "b"]] as const) });
    const fields = fc.record({ text: word, username: word, avatar: word, userid: word });
    fc.assert(
      fc.property(reader, from, fields, (settings, presentation, given) => {
        const account = anAccount("api.Src", presentation);
        const view = viewOf(settings, [account]);
        const message = aMessage({ ...given, account: account.name, protocol: "api", gateway: "main" });
        const copy = { ...message };
        const payload = encode(message);
        const shown = encode(view.show(frozen(decode(payload)), "main"));
        view.show(frozen(message), "elsewhere");
        expect(message).toEqual(copy);
        if (view.verbatim(account.key)) expect(shown).toBe(payload);
      }),
    );
  });
});
