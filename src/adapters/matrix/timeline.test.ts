import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { Client } from "./client.ts";
import { Http } from "../kit/http.ts";
import type { Json } from "../kit/json.ts";
import { MatrixRooms } from "./rooms.ts";
import { matrixSettings } from "./settings.suite.ts";
import { Timeline } from "./timeline.ts";

const ROOM = "!r:a";
const US = "@rialto:a";

/** A timeline with one room that we are in. No answer of these tests leaves anything out, so nothing is asked for. */
function present() {
  const host = new RecordingHost();
  const client = new Client({ http: new Http(host.clock), server: "http://127.0.0.1:1", token: null });
  const isOwn = (user: string): boolean => user === US;
  const rooms = new MatrixRooms({ client, host, user: US, isOwn, recall: () => undefined });
  rooms.get(ROOM).joined = true;
  const settings = matrixSettings({ Server: "http://127.0.0.1:1" });
  const timeline = new Timeline({ client, host, rooms, settings, user: US, isOwn, opOf: () => null });
  const told = async (...events: readonly Json[]) =>
    await timeline.read({ rooms: { join: { [ROOM]: { timeline: { events } } } } }, "s1", new AbortController().signal);
  return { host, timeline, told };
}

const event = (type: string, content: Json, more: Json = {}): Json => ({
  type,
  content,
  event_id: `$${type}`,
  sender: "@mallory:a",
  origin_server_ts: 1,
  ...more,
});
const changes = [
  ["m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" }],
  ["m.room.tombstone", { replacement_room: "!elsewhere:a" }],
] as const;

test.each(changes)(
  "%s counts as the room's own state only: anybody may send a message that looks like it",
  async (type, content) => {
    const { host, told } = present();
    await told(event(type, content), event(type, content, { event_id: "$2", state_key: "mine" }));
    expect(host.losses).toEqual([]);
    await told(event(type, content, { event_id: "$3", state_key: "" }));
    expect(host.losses).toMatchObject([{ channel: ROOM }]);
  },
);

test("the end of a reaction from before we came is understood", async () => {
  const { timeline, told } = present();
  const relation = { rel_type: "m.annotation", event_id: "$0", key: "👍" };
  timeline.recall([event("m.reaction", { "m.relates_to": relation })]);
  const found = await told(event("m.room.redaction", { redacts: "$m.reaction" }));
  expect(found).toMatchObject({ ok: true, value: [{ kind: "reacted", message: "$0", emoji: "👍", on: false }] });
});

test("an answer with many rooms leaves time to others", async () => {
  const { timeline } = present();
  const join = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`!r${index}:a`, {}]));
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await timeline.read({ rooms: { join } }, "s1", new AbortController().signal);
  isOver = true;
  expect(turns).toBeGreaterThan(3);
});

test.each([
  ["m.poll.start", "m.poll.end"],
  ["org.matrix.msc3381.poll.start", "org.matrix.msc3381.poll.end"],
])("the end of a poll names the answers of its start, which it answers: %s", async (start, end) => {
  const { told } = present();
  const answers = [
    { id: "x1", "m.text": [{ body: "Tea" }] },
    { id: "x2", "m.text": [{ body: "Wine" }] },
  ];
  await told(event(start, { "m.poll": { question: { "m.text": [{ body: "Drinks?" }] }, answers } }));
  const relation = { rel_type: "m.reference", event_id: `$${start}` };
  const content = { "m.relates_to": relation, "m.text": [{ body: "Over" }], "m.poll.results": { x2: 2 } };
  expect(await told(event(end, content))).toMatchObject({
    value: [{ kind: "posted", replyTo: `$${start}`, body: { source: { text: "Over\nWine: 2 votes" } } }],
  });
  expect(await told(event(end, { body: "Over" }, { event_id: "$other" }))).toMatchObject({
    value: [{ kind: "posted", replyTo: null }],
  });
});
