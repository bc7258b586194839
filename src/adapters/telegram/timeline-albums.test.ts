import { describe, expect, test } from "vitest";
import { mint } from "../../contract/ids.ts";
import type { Json } from "../kit/json.ts";
import { HARBOUR, lastUpdate, message, OLD, stage } from "./timeline.suite.ts";

describe("an album", () => {
  const member = (id: number, more: Json = {}): Json =>
    message({ message_id: id, media_group_id: "g", photo: [{ file_id: `f${id}`, file_unique_id: `u${id}` }], ...more });

  test("that comes in two answers is told once, and keeps the cursor back until then", async () => {
    const { timeline, told, positions, clock } = stage();
    const [said, first, second, after] = [
      message({ text: "look" }),
      member(6, { caption: "tea" }),
      member(7),
      message({ message_id: 8, text: "after" }),
    ];
    timeline.push([said, first]);
    const again = timeline.ready();
    await clock.advance(300);
    await again;
    timeline.push([first, second, after]);
    expect(told()).toEqual(["-1001 Alice: look"]);
    expect(positions.at).toBe(said["update_id"]);
    await clock.advance(600);
    timeline.push([]);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice: look", "-1001 Alice: tea [photo-6.jpg] [photo-7.jpg]", "-1001 Alice: after"]);
    expect(positions.at).toBe(after["update_id"]);
  });

  test("of which a caption is changed is told whole; of one that is not known, the words alone", async () => {
    const { timeline, told, clock } = stage();
    timeline.push([member(6, { caption: "tea" }), member(7)]);
    await clock.advance(600);
    timeline.push([]);
    timeline.push([
      message({ ...(member(7, { caption: "and milk" })["message"] as Json) }, "edited_message"),
      message({ ...(member(20, { caption: "coffee" })["message"] as Json) }, "edited_message"),
      message({ ...(member(20, { caption: "coffee", edit_date: 5 })["message"] as Json) }, "edited_message"),
      message({ ...(member(21)["message"] as Json) }, "edited_message"),
    ]);
    await timeline.ready();
    expect(told().slice(1)).toEqual([
      "-1001 Alice edits 7: tea\nand milk [photo-6.jpg] [photo-7.jpg]",
      "-1001 Alice edits 20: coffee",
    ]);
  });

  test("with words below several files is told whole by a later session, too, without the files that stand", async () => {
    const first = stage();
    first.timeline.push([member(6, { caption: "tea" }), member(7, { caption: "milk" }), member(8)]);
    await first.clock.advance(600);
    first.timeline.push([]);
    const { timeline, told, host } = stage({ since: first.host.cursors.at(-1) ?? null });
    const edit = (more: Json): Json => message({ media_group_id: "g", ...more }, "edited_message");
    timeline.push([
      edit({ message_id: 7, caption: "oat milk", photo: [{ file_id: "f7" }] }),
      edit({ message_id: 8, caption: "sugar", photo: [{ file_id: "f8" }] }),
      edit({ message_id: 6, photo: [{ file_id: "f6" }] }),
    ]);
    await timeline.ready();
    expect(told()).toEqual([
      "-1001 Alice edits 7: tea\noat milk",
      "-1001 Alice edits 8: tea\noat milk\nsugar",
      "-1001 Alice edits 6: oat milk\nsugar",
    ]);
    expect(host.cursors.at(-1)).toContain("oat milk");
  });

  test("keeps the cursor back also for what is told of other chats, which is not told again", async () => {
    const first = stage();
    const said = [message({ text: "one" }), member(6, { chat: HARBOUR }), message({ message_id: 6, text: "two" })];
    first.timeline.push(said);
    await first.clock.advance(0);
    expect(first.told()).toEqual(["-1001 Alice: one", "-1001 Alice: two"]);
    const { timeline, told, positions, clock } = stage({ since: first.host.cursors.at(-1) ?? null });
    expect(positions.at).toBe(said[0]?.["update_id"]);
    const more = [member(7, { chat: HARBOUR }), message({ message_id: 7, text: "three" })];
    timeline.push([...said.slice(1), ...more]);
    await clock.advance(600);
    timeline.push([]);
    await timeline.ready();
    expect(told()).toEqual(["-1001 Alice: three", "-1003 Alice: [photo-6.jpg] [photo-7.jpg]"]);
    expect([positions.at, positions.ahead]).toEqual([lastUpdate(), []]);
  });

  test("ids that an earlier session has told are forgotten once they cannot come any more", async () => {
    const at = lastUpdate();
    const since = mint("Cursor", JSON.stringify({ at, ahead: [at + 1, at + 2, at + 900] }));
    const { timeline, told, positions } = stage({ since });
    const [, known, said] = [message({ text: "one" }), message({ text: "two" }), message({ text: "three" })];
    timeline.push([known, said]);
    await timeline.ready();
    expect([told(), positions.ahead]).toEqual([["-1001 Alice: three"], [at + 900]]);
  });

  test("ids that begin anew are none that an earlier session has told", async () => {
    const later = lastUpdate() + 100;
    const next = later + 5;
    const since = mint("Cursor", JSON.stringify({ at: later, ahead: [next] }));
    const { timeline, told, positions } = stage({ since });
    timeline.push([message({ text: "lower" }), { ...message({ text: "the same number" }), update_id: next }]);
    await timeline.ready();
    expect([told(), positions.ahead]).toEqual([["-1001 Alice: lower", "-1001 Alice: the same number"], []]);
  });

  test("of a group that moves meanwhile comes before what is said after it", async () => {
    const { timeline, told, clock } = stage();
    timeline.push([
      member(6, { chat: OLD }),
      message({ migrate_to_chat_id: HARBOUR.id, chat: OLD }),
      message({ migrate_from_chat_id: OLD.id, chat: HARBOUR }),
      message({ message_id: 2, text: "larger", chat: HARBOUR }),
    ]);
    await clock.advance(499);
    timeline.push([]);
    expect(told()).toEqual([]);
    await clock.advance(1);
    timeline.push([]);
    expect(told()).toEqual(["-1003 Alice: [photo-6.jpg]", "-1003 Alice: larger"]);
  });

  test("with which a full answer broke off waits for the next one", async () => {
    const { timeline, told, clock } = stage();
    const blocking = member(6, { chat: HARBOUR });
    const many = Array.from({ length: 98 }, (_, at) => message({ message_id: 100 + at, text: `${at}` }));
    const full = [blocking, ...many, member(300)];
    timeline.push(full);
    await clock.advance(600);
    timeline.push(full);
    expect(told().at(-1)).toBe("-1003 Alice: [photo-6.jpg]");
    timeline.push([full.at(-1), member(301)]);
    await clock.advance(500);
    timeline.push([]);
    expect(told().at(-1)).toBe("-1001 Alice: [photo-300.jpg] [photo-301.jpg]");
  });

  test("that is under way when the session stops is left to the next", async () => {
    const { timeline, told, positions, clock } = stage();
    timeline.push([member(6)]);
    await timeline.quiesce();
    await clock.advance(10_000);
    expect(told()).toEqual([]);
    expect(positions.at).toBe(0);
    await timeline.ready();
  });
});
