import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Account, PresentationSettings } from "../config/config.ts";
import type { FileId } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import { type About, decode, encode, encodeStored, type Stored } from "./codec.ts";
import { aFile, aMessage, anAccount, frozen } from "./samples.suite.ts";
import { compileView, type View } from "./view.ts";
import type { LinkFor } from "./with-links.ts";

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

test("at a reader of the API a name is what the format makes of it", () => {
  const message = frozen(aMessage({ username: "np> hi <alice" }));
  expect(viewOf({ remoteNickFormat: "<{NICK}> " }).show(message, "main").username).toBe("<np> hi <alice> ");
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
  ["msg_edit", [true, true, true]],
  ["msg_delete", [false, false, false]],
  ["msg_reaction", [false, false, false]],
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

  test.each([
    ["plain", "plain", true],
    ["markdown", "plain", true],
    ["markdown", "markdown", true],
    ["plain", "markdown", false],
  ])("TextFormat %s of the source, %s of the reader", (posts, reads, expected) => {
    const from = { ...anAccount("api.src"), settings: { TextFormat: posts } };
    const reader = { ...anAccount("api.reader"), settings: { TextFormat: reads } };
    const view = compileView(reader, new Map([[from.key, from]]));
    expect(view.verbatim(from.key)).toBe(expected);
    const line = view.line(
      { seq: 1, account: from.key, payload: encode(aMessage({ text: "*a*", account: from.name })) },
      "main",
    );
    expect(decode(line).text).toBe(expected ? "*a*" : String.raw`\*a*`);
  });

  test("an unknown source is not, nor is what a reader with full events gets", () => {
    expect(viewOf({}).verbatim("api.gone")).toBe(false);
    const from = anAccount("api.src");
    expect(compileView(aFullReader(), new Map([[from.key, from]])).verbatim("api.src")).toBe(false);
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

function aFullReader(presentation: Partial<PresentationSettings> = {}): Account {
  return { ...anAccount("api.reader", presentation), settings: { FullEvents: true } };
}

function about(is: About["is"], more: Partial<About> = {}): About {
  return { is, seq: 7, name: "ann", excerpt: "x", thread: null, author: null, emoji: "", on: false, ...more };
}

function lineOf(
  reader: Account,
  message: Partial<Message>,
  stored: Partial<Stored>,
  from = anAccount("api.src"),
): Message {
  const rest = { source: null, about: null, files: [], avatar: null, topic: null, ...stored };
  const whole = aMessage({ account: from.name, protocol: from.protocol, gateway: "main", ...message });
  const view = compileView(reader, new Map([reader, from].map((each) => [each.key, each])));
  const payload = encodeStored({ message: whole, ...rest });
  return decode(view.line({ seq: 12, account: from.key, payload }, "main"));
}

const NETWORK = anAccount("net.a");

test.each(["join", "leave", "join_leave"])("%s: a reader without FullEvents gets one label and `system`", (event) => {
  const message = { event, username: "bob", userid: "b@host", avatar: "https://a.example/b", text: "bob joins" };
  const plain = { event: "join_leave", username: "<system>", userid: "", avatar: "", text: "bob joins" };
  expect(lineOf(anAccount("api.reader", { remoteNickFormat: "<{NICK}>" }), message, {}, NETWORK)).toMatchObject(plain);
  expect(lineOf(aFullReader(), message, {}, NETWORK)).toMatchObject(message);
  expect(lineOf(anAccount("api.reader"), message, {}, anAccount("api.src"))).toMatchObject(message);
});

test("a program's notice has no label without FullEvents", () => {
  const message = { event: "notice_irc", username: "ci", text: "build 12 failed" };
  expect(lineOf(anAccount("api.reader"), message, {}, NETWORK)).toMatchObject({ ...message, event: "" });
  expect(lineOf(aFullReader(), message, {}, NETWORK)).toMatchObject(message);
});

describe("addresses of files that have none, with FullEvents", () => {
  const files = ["one", "two", "three", null] as (FileId | null)[];
  const Extra = {
    file: [
      aFile({ Name: "a", URL: "", Data: "" }),
      aFile({ Name: "b", URL: "https://b.example", Data: "" }),
      aFile({ Name: "c", URL: "", Data: "eA==" }),
      aFile({ Name: "d", URL: "", Data: "" }),
    ],
  };
  const line = (linkFor: LinkFor | undefined, more: Partial<Message> = {}, reader = aFullReader()): Message => {
    const view = compileView(reader, new Map(), linkFor);
    const message = aMessage({ account: "net.a", avatar: "", Extra, ...more });
    const payload = encodeStored({
      message,
      source: null,
      about: null,
      files,
      avatar: "picture" as FileId,
      topic: null,
    });
    return decode(view.line({ seq: 1, account: "net.a", payload }, "main"));
  };
  const linkFor: LinkFor = (id, name) => `https://media.example/${id}/${name}`;
  const urls = ({ Extra: extra }: Message) => extra?.file.map(({ URL }) => URL);

  test("are made where there is a way, and nowhere else", () => {
    expect(urls(line(linkFor))).toEqual([
      "https://media.example/one/a",
      "https://b.example",
      "https://media.example/three/c",
      "",
    ]);
    expect(line(linkFor).avatar).toBe("https://media.example/picture/avatar");
    expect(line(linkFor, { avatar: "https://own.example" }).avatar).toBe("https://own.example");
    for (const none of [undefined, () => null]) {
      expect(urls(line(none))).toEqual(["", "https://b.example", "", ""]);
      expect(line(none).avatar).toBe("");
    }
  });

  test("a picture of the sender goes before IconURL", () => {
    const reader = aFullReader({ iconURL: "https://icon.example/{NICK}" });
    expect(line(linkFor, {}, reader).avatar).toBe("https://media.example/picture/avatar");
    expect(line(undefined, {}, reader).avatar).toBe("https://icon.example/bob");
  });

  test("a message without files has none", () => {
    expect(line(linkFor, { Extra: null }).Extra).toBeNull();
  });
});

describe("a stored entry as a line", () => {
  const source = { format: "some", text: "*x*" };
  test("passes on as it is where nothing is to be changed, and nothing stands behind it", () => {
    const from = anAccount("api.src");
    const view = viewOf({}, [from]);
    // No encoder of ours leaves a space there.
    const payload = encode(aMessage()).replace("{", "{ ");
    expect(view.line({ seq: 1, account: "api.src", payload }, "main")).toBe(payload);
  });

  test.each<[string, Account, Account]>([
    ["verbatim", anAccount("api.reader"), anAccount("api.src")],
    ["formatted", anAccount("api.reader", { remoteNickFormat: "<{NICK}>" }), anAccount("api.src")],
    ["from a network", anAccount("api.reader"), anAccount("net.src")],
    ["with full events", aFullReader(), anAccount("net.src")],
  ])("shows no reader what is for destinations: %s", (_name, reader, from) => {
    const stored = { source, about: about("reply"), files: ["f" as FileId], avatar: "p" as FileId };
    expect(Object.keys(lineOf(reader, {}, stored, from))).toEqual(Object.keys(aMessage()));
  });

  const reader = anAccount("api.reader");
  const unread = about("reaction", { on: false });
  test.each<[string, Account, Partial<Message>, About | null, Partial<Message>]>([
    ["a message", reader, {}, null, { id: "", parent_id: "", event: "" }],
    ["a reply", reader, {}, about("reply"), { id: "", parent_id: "", event: "" }],
    ["an edit is one more message", reader, { text: "new" }, about("edit"), { id: "", event: "", text: "new" }],
    ["a parent as the poster gave it", reader, { parent_id: "p" }, null, { parent_id: "p" }],
    ["full: a message", aFullReader(), {}, null, { id: "12", parent_id: "", event: "" }],
    ["full: a label", aFullReader(), { event: "user_action" }, null, { id: "12", event: "user_action" }],
    ["full: a reply", aFullReader(), {}, about("reply"), { id: "12", parent_id: "7" }],
    ["full: a parent that names nothing", aFullReader(), { parent_id: "p" }, null, { id: "12", parent_id: "" }],
    ["full: an edit", aFullReader(), { event: "user_action" }, about("edit"), { id: "7", event: "msg_edit" }],
    ["full: a deletion", aFullReader(), { event: "msg_delete" }, about("delete"), { id: "7", event: "msg_delete" }],
    ["full: a reaction", aFullReader(), {}, about("reaction", { on: true }), { id: "7", event: "msg_reaction" }],
    ["full: one taken back", aFullReader(), {}, unread, { id: "7", event: "msg_reaction_removed" }],
    ["full: a label that acts on nothing", aFullReader(), { event: "msg_edit" }, null, { id: "12", event: "" }],
  ])("%s", (_name, to, message, what, expected) => {
    expect(lineOf(to, message, { about: what })).toMatchObject(expected);
  });

  test("a reader with full events gets what others are not shown", () => {
    const admits = (account: Account): boolean[] =>
      ["msg_edit", "msg_delete", "msg_reaction"].map(compileView(account, new Map()).admits);
    expect(admits(aFullReader())).toEqual([true, true, true]);
    expect(admits(aFullReader({ reactionDisable: true }))).toEqual([true, true, false]);
    expect(admits({ ...aFullReader(), protocol: "net" })).toEqual([true, false, false]);
  });
});
