import { describe, expect, test } from "vitest";
import { NS } from "./ns.ts";
import { type XmppReceiveContext, readMessage } from "./receive.ts";
import { OwnIds } from "./refs.ts";
import type { RoomView } from "./room-view.ts";
import { aRoom, parsed, ROOM } from "./xml.suite.ts";

const NOW = 1_700_000_000_000;

function received(
  nick: string,
  inner: string,
  given: Partial<RoomView> = {},
  context: Partial<XmppReceiveContext> = {},
) {
  const from = nick === "" ? ROOM : `${ROOM}/${nick}`;
  const message = parsed(`<message type="groupchat" id="m1" from="${from}">${inner}</message>`);
  return readMessage(message, { room: aRoom(given), ids: new OwnIds("us"), nowMs: NOW, archived: null, ...context });
}

const occupant = (id: string): string => `<occupant-id xmlns="${NS.occupantId}" id="${id}"/>`;
const sid = (id: string, by = ROOM): string => `<stanza-id xmlns="${NS.sid}" id="${id}" by="${by}"/>`;
const ALICE = occupant("a");

describe("messages", () => {
  test("refs, key, author, time", () => {
    const { events, sid: id } = received(
      "alice",
      `<body>hi</body>${ALICE}${sid("s1")}<origin-id xmlns="${NS.sid}" id="o1"/>`,
    );
    expect(id).toBe("s1");
    expect(events).toMatchObject([
      {
        kind: "posted",
        key: `${ROOM} s1`,
        channel: ROOM,
        atMs: NOW,
        echoOf: null,
        messages: ["sid:s1", "id:o%3Aa:m1", "id:o%3Aa:o1"],
        author: { id: `${ROOM}/alice`, identity: "o:a", name: "alice", avatar: null },
        body: { style: "normal", source: { format: "styling", text: "hi" } },
        replyTo: null,
      },
    ]);
  });

  test.each([
    ["of somebody the words do not name", "look at this", `occupantid="b"`, "bob: look at this"],
    ["of somebody they name", "Hello, Bob!", `occupantid="b"`, "Hello, Bob!"],
    ["of words", "Hi Spartacists!", `occupantid="b" begin="3" end="14"`, "Hi Spartacists!"],
    ["by a place in the room", "look", `jid="${ROOM}/bob"`, "bob: look"],
    ["of somebody who is not there", "look", `occupantid="x"`, "look"],
    ["of Rialto", "look", `occupantid="us"`, "look"],
    ["of all", "look", `mentions="${NS.mentions}#channel"`, "look"],
    ["by an address that nobody sees", "look", `jid="bob@x.example"`, "look"],
    ["without anybody", "look", "", "look"],
  ])("a mention %s", (_, words, attributes, text) => {
    const mention = `<mention xmlns="${NS.mentions}" ${attributes}/>`;
    const { events } = received("alice", `<body>${words}</body>${ALICE}${mention}${mention}`);
    expect(events).toMatchObject([{ body: { source: { text } } }]);
  });

  test("a mention that is to notify nobody, in an action, and of several people", () => {
    const mention = (id: string, inner = ""): string =>
      `<mention xmlns="${NS.mentions}" occupantid="${id}">${inner}</mention>`;
    const textOf = (inner: string): unknown => received("rosa", inner).events[0];
    const text = (wanted: string) => ({ body: { source: { text: wanted } } });
    expect(textOf(`<body>look</body>${mention("b", "<noping/>")}`)).toMatchObject(text("look"));
    expect(textOf(`<body>&gt; quoted</body>${mention("b")}`)).toMatchObject(text("bob: \n> quoted"));
    expect(textOf(`<body>/me waves</body>${mention("b")}`)).toMatchObject(text("waves"));
    expect(textOf(`<body>look</body>${mention("a")}${mention("b")}`)).toMatchObject(text("alice: bob: look"));
  });

  test("ids that others put there do not count", () => {
    const forged = received("alice", `<body>hi</body>${ALICE}${sid("s1", "other@rooms.example")}`);
    expect(forged.sid).toBeNull();
    const promised = received("alice", `<body>hi</body>${occupant("b")}${sid("s1")}`, {
      stableIds: false,
      occupantIds: false,
    });
    expect(promised).toMatchObject({ sid: null, who: "o:a" });
  });

  test.each([
    ["a private message's like has no body", ""],
    ["a chat state", `<composing xmlns="http://jabber.org/protocol/chatstates"/>`],
    ["only spaces", "<body>  </body>"],
  ])("nothing: %s", (_, inner) => {
    expect(received("alice", inner).events).toEqual([]);
  });

  test.each([
    ["by our occupant id, whatever the nick", "somebody", occupant("us"), {}, true],
    ["our nick, but another occupant", "rialto", occupant("a"), {}, false],
    ["by our nick, where there are no occupant ids", "rialto", "", { occupantIds: false, ownIdentity: "j:us" }, true],
    ["somebody else", "alice", ALICE, {}, false],
  ] as const)("ours: %s", (_, nick, inner, given, own) => {
    expect(received(nick, `<body>x</body>${inner}`, given).own).toBe(own);
  });

  test.each([
    ["of the room, where it tells its past", ROOM, true, 1_000_000_000_000, "a:s1"],
    ["of the author, put there by hand", `${ROOM}/alice`, true, NOW, "n:alice"],
    ["that says it is of the room, where it tells no past", ROOM, false, NOW, "n:alice"],
  ])("a delay %s", (_, by, tellsPast, atMs, identity) => {
    const delay = `<delay xmlns="${NS.delay}" stamp="2001-09-09T01:46:40Z" from="${by}"/>`;
    const here = { nick: "alice", identity: "n:alice", avatar: null, role: "", away: false };
    const given = { tellsPast, occupantIds: false, ownIdentity: "j:us", occupant: () => here };
    const { events } = received("alice", `<body>x</body>${delay}${sid("s1")}`, given);
    expect(events).toMatchObject([{ atMs, author: { identity } }]);
  });

  test.each(["-271821-04-20T00:00:00Z", "1969-12-31T23:59:59Z"])("a delay before all messages (%s)", (stamp) => {
    const delay = `<delay xmlns="${NS.delay}" stamp="${stamp}" from="${ROOM}"/>`;
    expect(received("alice", `<body>x</body>${delay}${ALICE}`, { tellsPast: true }).atMs).toBe(0);
  });

  test("a delay of the room's own does not reach into the future", () => {
    const delay = `<delay xmlns="${NS.delay}" stamp="2099-01-01T00:00:00Z" from="${ROOM}"/>`;
    expect(received("alice", `<body>x</body>${delay}${ALICE}`, { tellsPast: true }).atMs).toBe(NOW);
  });

  test("of two occupant ids neither counts", () => {
    expect(received("alice", `<body>x</body>${occupant("b")}${ALICE}`).who).toBe("o:a");
    expect(received("mallory", `<body>x</body>${ALICE}${occupant("m")}`).who).not.toBe("o:a");
  });

  test("somebody else who had our nick before is heard", () => {
    const given = { occupantIds: false, ownIdentity: "j:us" };
    const { own } = received("rialto", "<body>hi</body>", given, { archived: { id: "s1", atMs: 5 } });
    expect(own).toBe(false);
  });

  test("our own from before the room had occupant ids are ours", () => {
    const ids = new OwnIds("us");
    const message = parsed(
      `<message type="groupchat" id="${ids.make("op" as never, "0")}" from="${ROOM}/rialto"><body>x</body></message>`,
    );
    expect(readMessage(message, { room: aRoom(), ids, nowMs: NOW, archived: { id: "s", atMs: 1 } }).own).toBe(true);
  });

  test("from the archive it has the archive's id and time, and the key that it had", () => {
    const archived = { id: "s1", atMs: 5 };
    const { events } = received("alice", `<body>hi</body>${ALICE}`, {}, { archived });
    expect(events[0]).toMatchObject({ key: `${ROOM} s1`, atMs: 5, author: { identity: "o:a" } });
  });

  test("who said what the archive has is nobody's guess without occupant ids", () => {
    const given = { occupantIds: false, ownIdentity: "j:us" };
    const { who } = received("alice", "<body>hi</body>", given, { archived: { id: "s1", atMs: 5 } });
    expect(who).toBe("a:s1");
  });

  test("our own in the archive are known by their ids, whatever our nick was", () => {
    const ids = new OwnIds("us");
    const message = parsed(
      `<message type="groupchat" id="${ids.make("op" as never, "0")}" from="${ROOM}/rialto_"><body>x</body></message>`,
    );
    const room = aRoom({ occupantIds: false, ownIdentity: "j:us" });
    expect(readMessage(message, { room, ids, nowMs: NOW, archived: { id: "s", atMs: 1 } }).own).toBe(true);
  });
});

describe("corrections, retractions, moderation", () => {
  test("a correction names a message of its author's, and is known by its own ids as well", () => {
    const { events } = received(
      "alice",
      `<body>hi!</body><replace xmlns="${NS.correct}" id="m0"/>${ALICE}${sid("s2")}`,
    );
    expect(events).toMatchObject([
      {
        kind: "edited",
        message: "id:o%3Aa:m0",
        aliases: ["sid:s2", "id:o%3Aa:m1"],
        vouched: false,
        isSaidAnyway: true,
      },
    ]);
  });

  test("a correction may name the id that the room gave", () => {
    const isKnown = (id: string): boolean => id === "s0";
    const correction = `<body>hi!</body><replace xmlns="${NS.correct}" id="s0"/>${ALICE}${sid("s2")}`;
    expect(received("alice", correction, { isKnown }).events).toMatchObject([{ kind: "edited", message: "sid:s0" }]);
  });

  test.each([
    ["today", `<retract xmlns="${NS.retract1}" id="s0"/><body>gone</body>`, "sid:s0"],
    ["formerly", `<apply-to xmlns="${NS.fasten}" id="m0"><retract xmlns="${NS.retract0}"/></apply-to>`, "id:o%3Aa:m0"],
  ])("a retraction: %s", (_, inner, message) => {
    expect(received("alice", inner + ALICE).events).toMatchObject([
      { kind: "deleted", message, vouched: false, by: { identity: "o:a" } },
    ]);
  });

  const today = `<retract xmlns="${NS.retract1}" id="s0"><moderated xmlns="${NS.moderate1}" by="${ROOM}/bob">${occupant("b")}</moderated></retract>`;
  const formerly = `<apply-to xmlns="${NS.fasten}" id="s0"><moderated xmlns="${NS.moderate0}" by="${ROOM}/bob"><retract xmlns="${NS.retract0}"/></moderated></apply-to>`;

  test.each([
    ["today", today],
    ["formerly", formerly],
  ])("the room takes a message away: %s", (_, inner) => {
    expect(received("", inner).events).toMatchObject([
      { kind: "deleted", message: "sid:s0", vouched: true, by: { name: "bob", identity: "o:b" } },
    ]);
  });

  test.each([
    ["today", today],
    ["formerly", formerly],
  ])("somebody who only says so is not vouched for: %s", (_, inner) => {
    for (const event of received("alice", inner + ALICE).events) expect(event).not.toMatchObject({ vouched: true });
  });
});

describe("replies and reactions", () => {
  const quote = `<fallback xmlns="${NS.fallback}" for="${NS.reply}"><body start="0" end="7"/></fallback>`;

  test("the quote for other clients is taken out", () => {
    const inner = `<body>&gt; hey 🙂\nyes</body><reply xmlns="${NS.reply}" id="s0" to="${ROOM}/bob"/>${quote.replace('"7"', '"8"')}`;
    expect(received("alice", inner + ALICE).events).toMatchObject([
      { kind: "posted", replyTo: "sid:s0", body: { source: { text: "yes" } } },
    ]);
  });

  test.each([
    ["the room's id", {}, "sid:x"],
    ["the author's, where the room has none", { stableIds: false }, "id:o%3Ab:x"],
    ["the author's, by a client that knows no better", { isBy: () => true }, "id:o%3Ab:x"],
  ])("it answers by %s", (_, given, replyTo) => {
    const inner = `<body>yes</body><reply xmlns="${NS.reply}" id="x" to="${ROOM}/bob"/>`;
    expect(received("alice", inner + ALICE, given).events).toMatchObject([{ replyTo }]);
  });

  const reactions = (...emojis: readonly string[]): string =>
    `<reactions xmlns="${NS.reactions}" id="s0">${emojis.map((one) => `<reaction>${one}</reaction>`).join("")}</reactions>`;

  test("what has changed is told, and only that", () => {
    const { events, reactions: now } = received("alice", reactions("🎉", "❤", "❤") + ALICE + sid("s9"));
    expect(events).toEqual([]);
    expect(now?.changes(new Set(["👍", "🎉"]))).toMatchObject([
      { kind: "reacted", message: "sid:s0", emoji: "👍", on: false, key: `${ROOM} s9 -👍` },
      { kind: "reacted", message: "sid:s0", emoji: "❤", on: true, key: `${ROOM} s9 +❤` },
    ]);
    expect(now?.emojis).toEqual(new Set(["🎉", "❤"]));
  });

  test("a reaction says nothing besides", () => {
    const body = `<body>&gt; hi\n👍</body><fallback xmlns="${NS.fallback}" for="${NS.reactions}"/>`;
    const { events, reactions: now } = received("alice", body + reactions("👍") + ALICE);
    expect([events, now?.changes(new Set()).map(({ kind }) => kind)]).toEqual([[], ["reacted"]]);
  });

  test("too many, too long, not one word", () => {
    const many = Array.from({ length: 100 }, (_, at) => `:e${at}:`);
    const { reactions: now } = received("alice", reactions("a b", "", "x".repeat(65), ...many) + ALICE);
    expect(now?.changes(new Set())).toHaveLength(32);
  });
});

test.each([
  ["<subject>news</subject>", "alice changed the topic to: news"],
  ["<subject/>", "alice removed the topic"],
  ["<subject>a\nb</subject>", "alice changed the topic to: a b"],
])("a topic: %s", (inner, text) => {
  expect(received("alice", inner + ALICE).events).toMatchObject([{ kind: "topic", text }]);
});

test("a subject beside a body is a message", () => {
  expect(received("alice", `<subject>x</subject><body>y</body>${ALICE}`).events).toMatchObject([{ kind: "posted" }]);
});
