import { expect, test } from "vitest";
import type { Membership } from "../../contract/events.ts";
import { isObject, NOTHING } from "../kit/json.ts";
import { RecentComings } from "./comings.ts";
import { channelRef, userRef } from "./ids.ts";
import { tsAfter } from "./message.suite.ts";

const coming = (change: "join" | "leave", user = "U1"): Membership => ({
  kind: "member",
  channel: channelRef("C1"),
  key: null,
  atMs: 0,
  echoOf: null,
  author: { id: userRef(user), identity: null, name: user, avatar: null },
  change,
  text: "",
});

test("an event and its message tell of one coming, whichever is first, also to a later session", () => {
  const comings = new RecentComings(NOTHING);
  expect([
    comings.isNews(coming("join"), "event", tsAfter(1)),
    comings.isNews(coming("join"), "message", tsAfter(2)),
    comings.isNews(coming("join", "U2"), "message", tsAfter(2)),
    comings.isNews(coming("join", "U2"), "event", tsAfter(3)),
    comings.isNews(coming("leave"), "event", tsAfter(3)),
  ]).toEqual([true, false, true, false, true]);
  const json: unknown = JSON.parse(JSON.stringify(comings.write()));
  const again = new RecentComings(isObject(json) ? json : NOTHING);
  expect([
    again.isNews(coming("join"), "message", tsAfter(2)),
    again.isNews(coming("leave"), "message", tsAfter(4)),
    // Once more, soon or later.
    again.isNews(coming("join"), "event", tsAfter(5)),
    again.isNews(coming("join"), "message", tsAfter(6)),
    again.isNews(coming("join"), "message", tsAfter(60)),
  ]).toEqual([false, false, true, false, true]);
});

test("no more is kept than there is room for, and what is none says nothing", () => {
  const comings = new RecentComings({ comings: [7, { who: "x" }] });
  for (let at = 0; at < 150; at += 1) comings.isNews(coming("join", `U${at}`), "event", tsAfter(at));
  expect(JSON.stringify(comings.write()).match(/"who"/g)).toHaveLength(100);
});
