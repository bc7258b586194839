import { expect, test } from "vitest";
import type { Cursor } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { RoomArchive } from "./archive.ts";
import { RoomCatchUp } from "./catch-up.ts";
import { EventIntake } from "../kit/intake.ts";
import { NS } from "./ns.ts";
import { ArchivePositions } from "./positions.ts";
import { readMessage } from "./receive.ts";
import { OwnIds } from "./refs.ts";
import { Requests } from "./requests.ts";
import { XmppRoom } from "./room.ts";
import { attr, child, childText, type Stanza } from "./xml.ts";
import { parsed, ROOM } from "./xml.suite.ts";

const occupant = `<occupant-id xmlns="${NS.occupantId}" id="a"/>`;
const said = (text: string): string => `<body>${text}</body>${occupant}`;
const reacts = (...emojis: readonly string[]): string =>
  `<reactions xmlns="${NS.reactions}" id="s0">${emojis.map((one) => `<reaction>${one}</reaction>`).join("")}</reactions>${occupant}`;
const groupchat = (inner: string): Stanza =>
  parsed(`<message from="${ROOM}/alice" type="groupchat" id="m">${inner}</message>`);

/** What the archive says to a query: messages by their ids, or a condition. */
type Reply = { readonly items: Readonly<Record<string, string>>; readonly complete: boolean } | string;

/** A room that was read up to `s0`, entered again; `reply` gets `before` or `after` and the id there. */
function entered(reply: (side: string, id: string) => Reply, { features = [NS.mam, NS.occupantId], at = "s0" } = {}) {
  const host = new RecordingHost();
  const queries: string[] = [];
  const answer = (iq: Stanza): void => {
    const query = child(iq, "query", NS.mam);
    const set = child(query, "set", NS.rsm);
    const side = childText(set, "before") === null ? "after" : "before";
    const id = childText(set, side) ?? "";
    queries.push(`${side} ${id}`);
    const told = reply(side, id);
    const head = `from="${ROOM}" id="${attr(iq, "id")}"`;
    if (typeof told === "string") {
      requests.take(
        parsed(`<iq ${head} type="error"><error type="wait"><${told} xmlns="${NS.stanzas}"/></error></iq>`),
      );
      return;
    }
    const items = Object.entries(told.items);
    for (const [archived, inner] of items) {
      const delay = `<delay xmlns="${NS.delay}" stamp="2026-01-01T00:00:00Z"/>`;
      const forwarded = `<forwarded xmlns="${NS.forward}">${delay}<message xmlns="jabber:client" from="${ROOM}/alice" type="groupchat" id="m-${archived}">${inner}</message></forwarded>`;
      const result = `<result xmlns="${NS.mam}" queryid="${attr(query, "queryid")}" id="${archived}">${forwarded}</result>`;
      archive.take(parsed(`<message from="${ROOM}">${result}</message>`));
    }
    const last = `<set xmlns="${NS.rsm}"><last>${items.at(-1)?.[0] ?? ""}</last></set>`;
    requests.take(
      parsed(`<iq ${head} type="result"><fin xmlns="${NS.mam}" complete="${String(told.complete)}">${last}</fin></iq>`),
    );
  };
  const send = (iq: Stanza): void => queueMicrotask(() => answer(iq));
  const requests = new Requests({ send, clock: host.clock, random: () => 0.5, self: () => "us@example.org/1" });
  const archive = new RoomArchive(requests);
  const cursor = JSON.stringify({ rooms: at === "" ? {} : { [ROOM]: { id: at, at: 1_700_000_000_000 } } }) as Cursor;
  const positions = new ArchivePositions(cursor);
  const intake = new EventIntake({ host, cursor: positions, lateMs: 2_000, waitingMax: 600, onFull: () => undefined });
  const unreadable: Reason[] = [];
  const ids = new OwnIds("us");
  const onUnreadable = (_: XmppRoom, why: Reason): void => void unreadable.push(why);
  const catchUp = new RoomCatchUp({ archive, intake, positions, ids, clock: host.clock, log: host.log, onUnreadable });
  const room = new XmppRoom(ROOM, "rialto", "n", () => "us@example.org");
  room.features = new Set(features);
  room.state = "in";
  room.backlog = [];
  const hear = (inner: string): void =>
    catchUp.take(room, readMessage(groupchat(inner), { room, ids, nowMs: host.clock.nowMs(), archived: null }));
  const texts = (): readonly string[] => host.posted.map(({ body }) => body.source.text);
  const changes = (): readonly string[] =>
    host.events.flatMap((event) => (event.kind === "reacted" ? [`${event.on ? "+" : "-"}${event.emoji}`] : []));
  return { host, room, catchUp, queries, unreadable, hear, texts, changes };
}

const sid = (id: string): string => `<stanza-id xmlns="${NS.sid}" id="${id}" by="${ROOM}"/>`;
const NOTHING: Reply = { items: {}, complete: true };

test("what came meanwhile comes after the archive, and what is in both comes once", async () => {
  const stage = entered((side, id) => {
    if (side === "before") return NOTHING;
    return id === "s0"
      ? { items: { s1: said("one") }, complete: false }
      : { items: { s2: said("two") }, complete: true };
  });
  stage.hear(said("two") + sid("s2"));
  stage.hear(said("three") + sid("s3"));
  stage.catchUp.begin(stage.room);
  await stage.room.ready;
  expect(stage.texts()).toEqual(["one", "two", "three"]);
  expect(stage.host.cursors.at(-1)).toContain('"s3"');
});

test("an archive that does not say which of ours are there is asked again later: nothing is told or posted blindly", async () => {
  const stage = entered((side) =>
    side === "before" ? "resource-constraint" : { items: { s1: said("one") }, complete: true },
  );
  stage.catchUp.begin(stage.room);
  await stage.room.ready;
  expect(stage.unreadable).toHaveLength(1);
  expect(stage.texts()).toEqual([]);
});

test("an archive that says the same forever is asked no more", async () => {
  const stage = entered((side) => (side === "before" ? NOTHING : { items: { s1: said("one") }, complete: false }));
  stage.catchUp.begin(stage.room);
  await stage.room.ready;
  expect(stage.texts()).toEqual(["one"]);
  expect(stage.queries).toEqual(["before s0", "after s0", "after s1"]);
});

test("a fault while reading is a value, and the room is entered again", async () => {
  const stage = entered(() => {
    stage.room.told = () => {
      throw new Error("a fault");
    };
    return { items: { s1: said("one") }, complete: true };
  });
  stage.catchUp.begin(stage.room);
  await stage.room.ready;
  expect(stage.unreadable).toMatchObject([{ code: "bug" }]);
});

test("reactions are compared in the order of the archive, not of hearing", async () => {
  const stage = entered((side) =>
    side === "before" ? NOTHING : { items: { s1: reacts("👍", "🎉") }, complete: true },
  );
  stage.hear(reacts());
  stage.catchUp.begin(stage.room);
  await stage.room.ready;
  expect(stage.changes()).toEqual(["+👍", "+🎉", "-👍", "-🎉"]);
});

test("what somebody had under a message before we were away is known", async () => {
  const stage = entered((side) => (side === "before" ? { items: { r: reacts("👍") }, complete: true } : NOTHING));
  stage.hear(reacts("🎉"));
  stage.catchUp.begin(stage.room);
  await stage.room.ready;
  expect(stage.changes()).toEqual(["-👍", "+🎉"]);
});

const old = `<delay xmlns="${NS.delay}" stamp="2023-11-14T22:13:25Z" from="${ROOM}"/>`;

test.each([
  ["the past of a room that we never were in", "", [], ["now"]],
  ["what was missed in one that tells it again", "s0", [], ["missed", "missed later", "now"]],
  ["a past that nobody asked for, in one with an archive", "s0", [NS.mam], ["missed", "missed later", "now"]],
] as const)("%s", async (_, at, features, expected) => {
  const stage = entered(() => NOTHING, { at, features: [...features] });
  stage.hear(said("missed") + old);
  stage.catchUp.begin(stage.room);
  await stage.room.ready;
  // Some rooms tell their past after a subject that was part of it.
  stage.hear(said("missed later") + old);
  stage.hear(said("now"));
  expect(stage.texts()).toEqual(expected);
});
