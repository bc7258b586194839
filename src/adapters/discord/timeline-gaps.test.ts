import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { rawMessage } from "./message.suite.ts";
import { channelIn, type DiscordChannel } from "./records.ts";
import { id, ready, said, texts, timelineOf } from "./timeline.suite.ts";

const reaction = (seq: number, message: string) => ({
  type: "MESSAGE_REACTION_ADD",
  data: { channel_id: "5", message_id: message, user_id: "7", emoji: { id: null, name: "👍" } },
  seq,
});

const updated = (seq: number, message: string, editedS: number) => ({
  ...said(seq, "changed", {
    id: message,
    edited_timestamp: new Date(Date.UTC(2024, 4, 1, 12, 0, editedS)).toISOString(),
  }),
  type: "MESSAGE_UPDATE",
});

function threadOf5(thread: string, lastMessage: string): readonly DiscordChannel[] {
  const channel = channelIn({ id: thread, type: 11, parent_id: "5", last_message_id: lastMessage }, "1");
  return channel === null ? [] : [channel];
}

test("of a channel that was behind, what comes before it is joined follows its history", async () => {
  const since = { at: id(5), channels: { 5: [id(0), id(0)] }, session: "a", url: "", seq: 1 };
  const { host, timeline, enter, history } = timelineOf(since, { resumed: true });
  timeline.push(reaction(2, id(1)));
  history.of.set("5", [rawMessage({ id: id(1), content: "missed" })]);
  enter("5");
  await settled();
  expect(host.events.map(({ kind }) => kind)).toEqual(["posted", "reacted"]);
});

test("what was taken back is still to be told when its channel ends before it can be", async () => {
  const since = { at: id(200), channels: { 5: [id(0)] }, recent: { 5: id(120), 900: id(130) } };
  const { host, positions, timeline, enter, history, threads } = timelineOf(since);
  threads.push(...threadOf5("900", id(110)));
  history.of.set("5", [rawMessage({ id: id(100) })]);
  history.of.set("900", [rawMessage({ id: id(110), channel_id: "900" })]);
  timeline.push(ready("a"));
  host.hold();
  enter("5");
  await settled();
  timeline.leave("5");
  host.release();
  await settled();
  expect(positions.recent.of("900")).toEqual([id(130)]);
  enter("5");
  await settled();
  const gone = host.events.flatMap((event) => (event.kind === "deleted" ? [event.message] : []));
  expect(gone).toEqual([id(120), `900/${id(130)}`]);
});

test("an update of a message that was edited before this session is no edit", async () => {
  const since = { at: id(100), channels: { 5: [id(0)], 6: [id(0), id(0)] }, session: "a", url: "", seq: 1 };
  const { host, timeline, enter } = timelineOf(since, { resumed: true });
  enter("5");
  enter("6");
  await settled();
  timeline.push(updated(2, id(1), 10));
  timeline.push(updated(3, id(2), 90));
  const behind = updated(4, id(3), 10);
  timeline.push({ ...behind, data: { ...behind.data, channel_id: "6" } });
  await settled();
  expect(host.events).toMatchObject([{ message: id(2) }, { message: id(3) }]);
});

test("the network's greeting is not read again as one who comes, once the coming was told", async () => {
  const since = { at: id(10), channels: { 5: [id(0)] } };
  const { host, timeline, enter, history } = timelineOf(since);
  timeline.push(ready("a"));
  const greeting = (seconds: number, name: string) =>
    rawMessage({
      id: id(seconds),
      type: 7,
      content: "",
      author: { ...rawMessage().author, id: name, global_name: name },
    });
  history.of.set("5", [greeting(12, "Carol"), greeting(5, "Bob")]);
  enter("5");
  await settled();
  expect(host.events.map((event) => (event.kind === "member" ? event.text : event.kind))).toEqual(["Carol joins"]);
});

test("threads that are too many for one gap are said to be left out", async () => {
  const { host, timeline, enter, history, threads } = timelineOf({ at: id(0), channels: { 5: [id(0)] } });
  for (let count = 1; count <= 102; count += 1) {
    const thread = String(1000 + count);
    threads.push(...threadOf5(thread, id(count)));
    history.of.set(thread, [rawMessage({ id: id(count), channel_id: thread, content: `${count}` })]);
  }
  timeline.push(ready("a"));
  enter("5");
  await settled();
  expect(texts(host)).toHaveLength(100);
  const warnings = host.records.filter(({ level }) => level === "warn");
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(warnings)).toContain("more threads have something new");
});
