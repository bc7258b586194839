import { expect, test } from "vitest";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { settled } from "../../../test/support/fake-clock.ts";
import type { OpId } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { Outbox } from "./outbox.ts";
import { XmppSender } from "./posting.ts";
import { OwnIds } from "./refs.ts";
import { XmppRoom } from "./room.ts";
import type { XmppUploads } from "./upload.ts";
import { attr, childText, type Stanza } from "./xml.ts";

const DONE: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };

interface Setting {
  readonly room: XmppRoom;
  readonly outbox: Outbox;
  readonly ids: OwnIds;
  readonly sent: readonly Stanza[];
  readonly attempt: RecordingAttempt;
  readonly set: (topic: string, textMax?: number) => Promise<Outcome>;
}

/** A room that we are in. */
function setting(): Setting {
  const sent: Stanza[] = [];
  const outbox = new Outbox((stanza) => void sent.push(stanza));
  const ids = new OwnIds("xmpp.a");
  const room = new XmppRoom("room@muc.test", "rialto", "n", () => "rialto@test");
  room.state = "in";
  const attempt = new RecordingAttempt();
  const set = async (topic: string, textMax = 5_000): Promise<Outcome> => {
    const uploads = {} as XmppUploads;
    const sender = new XmppSender({ room: () => room, outbox, ids, uploads, textMax, over: () => null });
    return await sender.topic({ kind: "topic", id: "op" as OpId, channel: room.ref, attempt: 1, topic }, attempt);
  };
  return { room, outbox, ids, sent, attempt, set };
}

const idOf = ({ sent }: Setting): string => attr(sent.at(-1), "id");

test.each([
  ["under its id", ({ outbox, room }: Setting, id: string) => outbox.shown(room, id, null)],
  ["without it", ({ outbox, room, ids }: Setting) => outbox.subjectShown(room, (id) => ids.isSubject(id))],
])("a subject is set once the room shows it, %s, and keeps nothing of it", async (_name, show) => {
  const at = setting();
  const outcome = at.set("ships");
  await settled();
  expect(at.sent.map((stanza) => childText(stanza, "subject"))).toEqual(["ships"]);
  show(at, idOf(at));
  expect(await outcome).toEqual(DONE);
  expect([at.attempt.announced, at.attempt.confirmed]).toEqual([[], []]);
});

test("one that stands already is not written: not every room would show it", async () => {
  const at = setting();
  at.room.subject = "ships";
  expect(await at.set("ships")).toEqual(DONE);
  expect(at.sent).toEqual([]);
});

test("one that is longer than a message is cut", async () => {
  const at = setting();
  const outcome = at.set("ships", 3);
  await settled();
  expect(childText(at.sent[0], "subject")).toBe("shi");
  at.outbox.shown(at.room, idOf(at), null);
  expect(await outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "length" }] } });
});

test.each([
  ["auth", "forbidden", { is: "rejected", why: { code: "forbidden" } }],
  ["wait", "policy-violation", { is: "deferred", why: { code: "rate_limited" } }],
  ["modify", "bad-request", { is: "rejected" }],
])("one that the room refuses: %s, %s", async (type, condition, expected) => {
  const at = setting();
  const outcome = at.set("ships");
  await settled();
  at.outbox.refused(idOf(at), { type, condition, text: "" });
  expect(await outcome).toMatchObject(expected);
});
