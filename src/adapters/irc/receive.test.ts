import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Event } from "../../contract/events.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import { casefold } from "./wire/casemap.ts";
import { NO_ISUPPORT } from "./wire/isupport.ts";
import { type IrcReceiveContext, toEvents } from "./receive.ts";
import { type IrcLine, parseLine } from "./wire/wire.ts";

const NOW = Date.parse("2026-06-01T12:00:00.000Z");
const ref = (name: string): ChannelRef => name as ChannelRef;
const CHANNELS = new Map([
  ["#c", ref("#c")],
  ["#d{", ref("#d[")],
]);

const CONTEXT: IrcReceiveContext = {
  ownNick: "Rialto",
  isupport: { ...NO_ISUPPORT, statusmsg: "@+" },
  channelRef: (name) => CHANNELS.get(casefold("rfc1459", name)) ?? null,
  channelsOf: (nick) => (nick === "alice" ? [ref("#c"), ref("#d[")] : []),
  verboseJoinPart: false,
  nowMs: NOW,
};

function events(text: string, context: Partial<IrcReceiveContext> = {}): readonly Event[] {
  const line: IrcLine | null = parseLine(text);
  if (line === null) throw new Error(`no line: ${text}`);
  return toEvents(line, { ...CONTEXT, ...context });
}

const ALICE = ":alice!al@host.example";

describe("messages", () => {
  test("a message, whole", () => {
    expect(
      events(`@msgid=m1;time=2026-06-01T11:59:59.500Z;account=al ${ALICE} PRIVMSG #C :hi \x02there`),
    ).toStrictEqual([
      {
        kind: "posted",
        key: "m1 #c",
        channel: "#c",
        atMs: NOW - 500,
        echoOf: null,
        messages: ["m1"],
        author: { id: "al@host.example", identity: "al", name: "alice", avatar: null },
        body: {
          style: "normal",
          source: { format: "irc", text: "hi \x02there" },
          files: [],
        },
        replyTo: null,
        thread: null,
      },
    ]);
  });

  test("without tags there is no key, no id, and the time is ours", () => {
    expect(events(`${ALICE} PRIVMSG #c hi`)).toMatchObject([{ key: null, messages: [], atMs: NOW }]);
  });

  test.each([
    ["PRIVMSG #c :\x01ACTION waves\x01", "action", "waves"],
    ["PRIVMSG #c :\x01ACTION waves", "action", "waves"],
    ["NOTICE #c :beware", "aside", "beware"],
    ["PRIVMSG #d[ :hi", "normal", "hi"],
    ["PRIVMSG #D{ :hi", "normal", "hi"],
  ])("%j", (rest, style, text) => {
    expect(events(`${ALICE} ${rest}`)).toMatchObject([{ kind: "posted", body: { style, source: { text } } }]);
  });

  test.each([
    "PRIVMSG Rialto :psst",
    "NOTICE Rialto :psst",
    "PRIVMSG @#c :ops only",
    "NOTICE +#c :voices only",
    "PRIVMSG #elsewhere :hi",
    "PRIVMSG #c :\x01VERSION\x01",
    "PRIVMSG #c :\x01ACTION\x01",
    "PRIVMSG #c :\x01",
    "NOTICE #c :\x01VERSION client\x01",
    "PRIVMSG #c :",
    "PRIVMSG #c",
    "PRIVMSG",
    "TAGMSG #c",
    "MODE #c +o bob",
  ])("nothing comes of %j", (rest) => {
    expect(events(`${ALICE} ${rest}`)).toStrictEqual([]);
  });

  test("nor of a line without a source, or of our own", () => {
    expect(events("PRIVMSG #c :hi")).toStrictEqual([]);
    expect(events(":rialto!r@h PRIVMSG #c :hi")).toStrictEqual([]);
  });

  test.each([
    ["2026-06-01T12:04:59.000Z", NOW + 299_000],
    ["2026-06-01T11:50:00.000Z", NOW],
    ["2026-06-01T12:10:00.000Z", NOW],
    ["yesterday", NOW],
    ["2026-99-99T12:00:00.000Z", NOW],
    ["", NOW],
  ])("a server's time %s", (time, atMs) => {
    expect(events(`@time=${time} ${ALICE} PRIVMSG #c hi`)).toMatchObject([{ atMs }]);
  });

  test("a nick that carries control characters", () => {
    expect(events(":al\x02ice\x07!a@h PRIVMSG #c hi")).toMatchObject([{ author: { name: "alice", id: "a@h" } }]);
  });
});

describe("people", () => {
  test.each([
    [":alice!alice@host JOIN #c", false, "join", "alice joins"],
    [":alice!alice@host JOIN #c alice :Alice", false, "join", "alice joins"],
    [":alice!alice@host.example JOIN #c", true, "join", "alice (alice@host.example) joins"],
    [":alice!alice@host PART #c", false, "leave", "alice parts"],
    [":alice!alice@host PART #c :bye \x02now", false, "leave", "alice parts"],
    [":alice!alice@host PART #c", true, "leave", "alice (alice@host) parts"],
  ])("%j, verbose %j", (line, verboseJoinPart, change, text) => {
    expect(events(line, { verboseJoinPart })).toStrictEqual([
      {
        kind: "member",
        key: null,
        channel: "#c",
        atMs: NOW,
        echoOf: null,
        author: {
          id: line.includes("example") ? "alice@host.example" : "alice@host",
          identity: null,
          name: "alice",
          avatar: null,
        },
        change,
        text,
      },
    ]);
  });

  test("QUIT and NICK are told in every channel, each with a key of its own", () => {
    expect(events(`@msgid=q ${ALICE} QUIT :Ping timeout`)).toMatchObject([
      { channel: "#c", key: "q #c", change: "leave", text: "alice quits" },
      { channel: "#d[", key: "q #d[", change: "leave", text: "alice quits" },
    ]);
    expect(events(`${ALICE} NICK bob`)).toMatchObject([
      { channel: "#c", change: "rename", author: { name: "alice" }, newName: "bob", text: "alice is now known as bob" },
      { channel: "#d[", change: "rename", newName: "bob" },
    ]);
    expect(events(`${ALICE} QUIT`, { verboseJoinPart: true })[0]).toMatchObject({
      text: "alice (al@host.example) quits",
    });
    expect(events(":unseen!u@h QUIT")).toStrictEqual([]);
  });

  test.each([
    [":vjt!vjt@host KICK #c alice :spam", false, "vjt kicked alice (spam)"],
    [":vjt!vjt@host KICK #c alice :bye\u000304 red", false, "vjt kicked alice (bye red)"],
    [":vjt!vjt@host KICK #c alice", false, "vjt kicked alice"],
    [":vjt!vjt@host KICK #c alice :vjt", false, "vjt kicked alice"],
    [":vjt!vjt@host.example KICK #c alice :bye", true, "vjt (vjt@host.example) kicked alice (bye)"],
    [":irc.test.local KICK #c alice :flood", true, "irc.test.local kicked alice (flood)"],
  ])("%j, verbose %j", (line, verboseJoinPart, text) => {
    expect(events(line, { verboseJoinPart })).toMatchObject([
      {
        change: "leave",
        author: { name: "alice", id: "alice" },
        text,
      },
    ]);
  });

  test.each([
    ":RIALTO!r@h JOIN #c",
    ":Rialto!r@h PART #c",
    ":Rialto!r@h QUIT",
    ":Rialto!r@h NICK other",
    ":vjt!v@h KICK #c rialto :out",
    ":Rialto!r@h KICK #c alice",
    ":alice!a@h JOIN #elsewhere",
    ":alice!a@h JOIN",
    ":alice!a@h KICK #c",
    ":alice!a@h NICK",
  ])("nothing comes of %j", (line) => {
    expect(events(line)).toStrictEqual([]);
  });
});

describe("topics", () => {
  test.each([
    [`${ALICE} TOPIC #c :new \x0304topic`, "alice", "alice changed the topic to: new topic"],
    [`${ALICE} TOPIC #c :`, "alice", "alice removed the topic"],
    [`${ALICE} TOPIC #c`, "alice", "alice removed the topic"],
    [":irc.test.local TOPIC #c :t", null, "irc.test.local changed the topic to: t"],
  ])("%j", (line, name, text) => {
    expect(events(line)).toMatchObject([{ kind: "topic", text, author: name === null ? null : { name } }]);
  });

  test("elsewhere, or our own", () => {
    expect(events(`${ALICE} TOPIC #x :t`)).toStrictEqual([]);
    expect(events(":Rialto!r@h TOPIC #c :t")).toStrictEqual([]);
  });
});

describe("tags and deletions", () => {
  test.each(["+draft/reply=m1", "+reply=m1", "+draft/reply=m1;+reply=m1", "+draft/reply=;+reply=m1"])(
    "%s names the message that is answered",
    (tag) => {
      expect(events(`@${tag};msgid=m2 ${ALICE} PRIVMSG #c :yes`)).toMatchObject([
        { kind: "posted", messages: ["m2"], replyTo: "m1" },
      ]);
    },
  );

  test.each([
    ["+draft/react=👍;+draft/reply=m1", "👍", true],
    ["+react=lol;+reply=m1", "lol", true],
    ["+draft/unreact=👍;+draft/reply=m1", "👍", false],
  ])("a reaction: %s", (tags, emoji, on) => {
    expect(events(`@${tags};msgid=m3;account=al ${ALICE} TAGMSG #c`)).toMatchObject([
      { kind: "reacted", key: "m3 #c", message: "m1", emoji, on, author: { name: "alice", identity: "al" } },
    ]);
  });

  test.each([
    "@+draft/react=👍 :alice!a@h TAGMSG #c",
    "@+draft/reply=m1 :alice!a@h TAGMSG #c",
    "@+typing=active :alice!a@h TAGMSG #c",
    "@+draft/reply=m1;+draft/react=\\s :alice!a@h TAGMSG #elsewhere",
    `@+draft/reply=m1;+draft/react=${"x".repeat(65)} :alice!a@h TAGMSG #c`,
    "@+draft/reply=m1;+draft/react=👍 :Rialto!r@h TAGMSG #c",
    ":alice!a@h REDACT #c",
    ":alice!a@h REDACT #elsewhere m1",
    ":Rialto!r@h REDACT #c m1",
    "@draft/relaymsg=rialto :bob/x!r@h PRIVMSG #c :ours",
    "@relaymsg=Rialto :bob/x!r@h PRIVMSG #c :ours",
  ])("nothing comes of %j", (line) => {
    expect(events(line)).toStrictEqual([]);
  });

  test("what another program relays is said by whom it names", () => {
    expect(events("@draft/relaymsg=other :bob/x!r@h PRIVMSG #c :hi")).toMatchObject([{ author: { name: "bob/x" } }]);
  });

  test("a deletion, which the server has allowed", () => {
    expect(events(`@msgid=m4 ${ALICE} REDACT #c m1 :spam`)).toMatchObject([
      { kind: "deleted", key: "m4 #c", message: "m1", by: { name: "alice" }, vouched: true },
    ]);
    expect(events(":irc.test REDACT #c m1")).toMatchObject([{ kind: "deleted", by: null, vouched: true }]);
  });

  test("an old line keeps its time, but is never from the future", () => {
    const old = `@time=2026-06-01T02:00:00.000Z ${ALICE} PRIVMSG #c :hi`;
    expect(events(old, { isOld: true })).toMatchObject([{ atMs: NOW - 10 * 3_600_000 }]);
    expect(events(old)).toMatchObject([{ atMs: NOW }]);
    const later = `@time=2026-06-01T13:00:00.000Z ${ALICE} PRIVMSG #c :hi`;
    expect(events(later, { isOld: true })).toMatchObject([{ atMs: NOW }]);
  });
});

test("no line makes it throw", () => {
  const command = fc.constantFrom(
    "PRIVMSG",
    "NOTICE",
    "JOIN",
    "PART",
    "QUIT",
    "KICK",
    "NICK",
    "TOPIC",
    "TAGMSG",
    "REDACT",
  );
  const param = fc.oneof(fc.constantFrom("#c", "alice", "Rialto", "", "\x01ACTION"), fc.string({ unit: "binary" }));
  const source = fc.oneof(fc.constant(null), fc.record({ nick: param, user: param, host: param }));
  fc.assert(
    fc.property(
      command,
      fc.array(param),
      source,
      fc.dictionary(
        fc.constantFrom("msgid", "time", "bot", "account", "+draft/reply", "+draft/react", "draft/relaymsg"),
        param,
      ),
      (command, params, source, tags) => {
        toEvents({ command, params, source, tags: new Map(Object.entries(tags)) }, CONTEXT);
      },
    ),
  );
});
