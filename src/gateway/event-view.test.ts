import { describe, expect, test } from "vitest";
import type { ApiEvent, ApiMessage } from "../contract/api-v1.ts";
import { fileId } from "../files/file-id.ts";
import { mint } from "../contract/ids.ts";
import type { About, Stored } from "./codec.ts";
import { encodeStored } from "./codec.ts";
import { eventOf, type EventScene } from "./event-view.ts";
import { backEntry, type Outage, outageEntry } from "./outages.ts";
import { operatorEntry } from "./operator.ts";
import { aFile, aMessage } from "./samples.suite.ts";

const AT = Date.parse("2026-11-22T09:00:00.123Z");
const SCENE: EventScene = {
  gateways: ["lobby"],
  mine: false,
  format: "plain",
  place: null,
  linkFor: (_, name) => `https://files/${name}`,
  linksUntil: AT + 60_000,
  mimeOf: (name) => (name.endsWith(".png") ? "image/png" : "application/octet-stream"),
};
const BASE = {
  seq: "4711",
  time: "2026-11-22T09:00:00.123Z",
  gateways: ["lobby"],
  source: { account: "net.libera", protocol: "net", channel: "#room" },
};
const BOB = { id: "u1", name: "bob", avatar: null, bot: false, mine: false };
const PLAIN: ApiMessage = {
  id: "4711",
  text: "hello",
  format: "plain",
  style: "normal",
  reply_to: null,
  thread: null,
  hops: 0,
  files: [],
};

const stored = (more: Partial<Stored> = {}): Stored => {
  return { message: aMessage(), source: null, about: null, files: [], avatar: null, topic: null, ...more };
};
const view = (more: Partial<Stored> = {}, scene: Partial<EventScene> = {}): ApiEvent | null =>
  eventOf({ seq: 4711, at: AT, payload: encodeStored(stored(more)) }, { ...SCENE, ...scene });
const about = (more: Partial<About>): About => {
  return {
    is: "reply",
    seq: 4700,
    name: "ann",
    excerpt: "",
    thread: null,
    author: null,
    emoji: "",
    on: false,
    ...more,
  };
};
const messageOf = (event: ApiEvent | null): unknown => (event !== null && "message" in event ? event.message : null);

test("a message", () => {
  expect(view()).toEqual({ ...BASE, type: "message.posted", author: BOB, message: PLAIN });
});

describe("styles are events of the log", () => {
  test.each([
    ["user_action", "action"],
    ["notice_irc", "notice"],
    ["", "normal"],
    // Any label of a client.
    ["api_connected", "normal"],
    ["msg_edit", "normal"],
  ])("%j is %s", (event, style) => {
    expect(view({ message: aMessage({ event }) })).toMatchObject({ type: "message.posted", message: { style } });
  });
});

describe("texts of all formats", () => {
  test.each([
    ["plain", "2 * 3 * 4", "plain", "2 * 3 * 4"],
    ["markdown", "**hi** _there_", "markdown", "**hi** _there_"],
    ["irc", "\u0002hi\u0002 there", "markdown", "**hi** there"],
    ["html", "<b>hi</b>", "markdown", "**hi**"],
    ["styling", "*hi*", "markdown", "**hi**"],
    ["slack", "*hi*", "markdown", "**hi**"],
    ["discord", "**hi**", "markdown", "**hi**"],
    ["mattermost", "**hi**", "markdown", "**hi**"],
    ["unheard of", "a * b", "markdown", "a * b"],
  ])("%s", (format, text, shown, markdown) => {
    const message = aMessage({ text: "hi there" });
    expect(messageOf(view({ message, source: { format, text } }))).toMatchObject({ format: shown, text: markdown });
  });

  test("without a source: as the account of the API that posted it writes", () => {
    const message = aMessage({ text: "**hi**", protocol: "api" });
    expect(messageOf(view({ message }, { format: "markdown" }))).toMatchObject({ format: "markdown", text: "**hi**" });
    expect(messageOf(view({ message }))).toMatchObject({ format: "plain", text: "**hi**" });
  });
});

describe("what is about a message", () => {
  test.each([
    [about({}), { reply_to: "4700", thread: null }],
    [about({ thread: 4600 }), { reply_to: "4700", thread: "4600" }],
    // It answers none in particular.
    [about({ thread: 4700 }), { reply_to: null, thread: "4700" }],
    [about({ seq: null }), { reply_to: null, thread: null }],
  ])("a reply %#", (given, message) => {
    expect(view({ about: given })).toMatchObject({ type: "message.posted", message: { id: "4711", ...message } });
  });

  test("an edit has the id of its message, and its own style", () => {
    const event = view({ about: about({ is: "edit" }), message: aMessage({ event: "user_action", text: "new" }) });
    expect(event).toEqual({
      ...BASE,
      type: "message.edited",
      author: BOB,
      message: { ...PLAIN, id: "4700", text: "new", style: "action" },
    });
  });

  test("deletions and reactions", () => {
    const base = { ...BASE, author: BOB, message: { id: "4700" } };
    const deletion = aMessage({ event: "msg_delete", text: "" });
    expect(view({ about: about({ is: "delete" }), message: deletion })).toEqual({ ...base, type: "message.deleted" });
    for (const on of [true, false]) {
      const reaction = about({ is: "reaction", emoji: "👍", on });
      expect(view({ about: reaction, message: aMessage({ event: "msg_reaction", text: "👍" }) })).toEqual({
        ...base,
        type: on ? "reaction.added" : "reaction.removed",
        reaction: { emoji: "👍" },
      });
    }
  });

  test.each(["edit", "delete", "reaction"] as const)("%s of what nobody knows is no event", (is) => {
    expect(view({ about: about({ is, seq: null }) })).toBeNull();
  });
});

describe("news of a room", () => {
  test.each([
    ["join", "member.joined"],
    ["leave", "member.left"],
  ])("%s is %s", (event, type) => {
    expect(view({ message: aMessage({ event, text: "bob does" }) })).toEqual({
      ...BASE,
      type,
      author: BOB,
      text: "bob does",
    });
  });

  test.each([
    [{ newName: "rob" }, "rob"],
    [{}, null],
  ])("join_leave with %j is member.renamed to %j", (stored, name) => {
    const message = aMessage({ event: "join_leave", text: "bob does" });
    const event = { ...BASE, type: "member.renamed", author: BOB, member: { name }, text: "bob does" };
    expect(view({ message, ...stored })).toEqual(event);
  });

  test.each(["ships", "", null])("the topic %j", (topic) => {
    const message = aMessage({ event: "topic_change", text: "bob changed it" });
    const event = { ...BASE, type: "topic.changed", author: BOB, topic, text: "bob changed it" };
    expect(view({ message, topic })).toEqual(event);
  });

  test.each(["join", "leave", "join_leave", "topic_change"])("%s of a client is what that client says", (event) => {
    const message = aMessage({ event, protocol: "api", account: "api.x", text: "words" });
    expect(view({ message })).toMatchObject({ type: "message.posted", message: { text: "words" } });
  });

  test.each(["user_typing", "avatar_download", "file_delete"])("%s is never told", (event) => {
    expect(view({ message: aMessage({ event }) })).toBeNull();
  });
});

test("outages are told of the place, not of Rialto", () => {
  const outage: Outage = {
    place: "net.a/#x",
    account: "net.A",
    channel: "#x",
    sinceMs: AT - 600_000,
    code: "network",
    takes: true,
  };
  const place = { account: "net.A", protocol: "net", channel: "#x" };
  const lost = outageEntry(outage, AT);
  const known = { seq: 5, subject: "", at: 0, author: "", name: "", excerpt: "", gone: false };
  const back = backEntry(outage, known, 3, AT);
  const seen = (payload: string): ApiEvent | null => eventOf({ seq: 4711, at: AT, payload }, { ...SCENE, place });
  const base = { ...BASE, source: place };
  const text = expect.stringContaining("net.A #x") as unknown;
  expect(seen(lost.payload)).toEqual({ ...base, type: "place.lost", text });
  expect(seen(back.payload)).toEqual({ ...base, type: "place.back", text });
});

test("words of the operator are a message", () => {
  const { payload } = operatorEntry({ gateway: "lobby", text: "down at 5", username: "admin", atMs: AT });
  expect(eventOf({ seq: 4711, at: AT, payload }, SCENE)).toMatchObject({
    type: "message.posted",
    source: { account: "rialto.operator", protocol: "rialto" },
    author: { name: "admin", mine: false },
    message: { text: "down at 5", format: "plain" },
  });
});

test("the author: a picture by its link, a program, oneself", () => {
  const avatar = fileId({ is: "url", url: "https://a/b" });
  expect(view({ avatar })).toMatchObject({ author: { avatar: "https://files/avatar" } });
  expect(view({ avatar }, { linkFor: () => null })).toMatchObject({ author: { avatar: null } });
  expect(view({ message: aMessage({ avatar: "https://x/y.png" }) })).toMatchObject({
    author: { avatar: "https://x/y.png" },
  });
  expect(view({ bot: true }, { mine: true })).toMatchObject({ author: { bot: true, mine: true } });
});

describe("files", () => {
  const filesOf = (items: Parameters<typeof aFile>[0][], ids: Stored["files"], scene: Partial<EventScene> = {}) => {
    const message = messageOf(view({ message: aMessage({ Extra: { file: items.map(aFile) } }), files: ids }, scene));
    return typeof message === "object" && message !== null && "files" in message ? message.files : null;
  };
  const expires = new Date(AT + 60_000).toISOString();

  test("of the store have an id, and a link with its end", () => {
    const sha256 = "00".repeat(31) + "ff";
    const file = { Name: "a.png", Data: "", Size: 12, Comment: "look" };
    const shown = { name: "a.png", mime: "image/png", bytes: 12, caption: "look" };
    const id = `s256_${Buffer.from(sha256, "hex").toString("base64url")}`;
    expect(id).toHaveLength(5 + 43);
    expect(filesOf([file], [fileId({ is: "stored", sha256 })])).toEqual([
      { id, ...shown, url: "https://files/a.png", expires },
    ]);
    expect(filesOf([file], [fileId({ is: "stored", sha256 })], { linkFor: () => null })).toEqual([
      { id, ...shown, url: "", expires: null },
    ]);
  });

  test("of networks have one by their place; public addresses do not end", () => {
    const remote = fileId({ is: "remote", account: "net.a", ref: mint("FileRef", "r") });
    const url = fileId({ is: "url", url: "https://a/b.bin" });
    const files = filesOf(
      [
        { Name: "b.bin", Data: "", Size: 0 },
        { Name: "b.bin", Data: "", Size: 0, URL: "https://a/b.bin" },
      ],
      [remote, url],
    );
    const shown = { name: "b.bin", mime: "application/octet-stream", bytes: 0, caption: "" };
    expect(files).toEqual([
      { ...shown, id: "at_4711_0", url: "https://files/b.bin", expires },
      { ...shown, id: "at_4711_1", url: "https://a/b.bin", expires: null },
    ]);
  });

  test("hidden ones say so, and why", () => {
    const files = filesOf([{ Spoiler: "the ending" }, { Spoiler: true }, {}], []);
    expect((files as readonly { spoiler?: unknown }[]).map(({ spoiler }) => spoiler)).toEqual([
      "the ending",
      true,
      undefined,
    ]);
  });

  test("content inside the message is counted", () => {
    expect(filesOf([{ Data: "aGVsbG8=", Size: 0 }], [])).toMatchObject([{ id: "at_4711_0", bytes: 5, url: "" }]);
  });
});

test.each(["", "7", "null"])("what no version has stored (%j) throws", (payload) => {
  expect(() => eventOf({ seq: 1, at: AT, payload }, SCENE)).toThrow(Error);
});
