import { expect, test } from "vitest";
import { type SlackEvent, SlackEnvelopes } from "./envelopes.ts";

function taking() {
  const [told, acknowledged]: [SlackEvent[], string[]] = [[], []];
  let leftOut = 0;
  const envelopes = new SlackEnvelopes({ onEvent: (event) => told.push(event), onLeftOut: () => void (leftOut += 1) });
  const socket = { acknowledge: (id: string) => void acknowledged.push(id) };
  const take = (id: string, payload: object, type = "events_api"): void =>
    envelopes.take({ id, type, payload: { ...payload } }, socket);
  return { told, acknowledged, take, leftOut: () => leftOut };
}

const said = (id: string) => ({ event_id: id, team_id: "T1", event: { type: "message", text: "hi" } });

test("an event is told once; its envelopes are acknowledged when it is done, and later ones at once", () => {
  const { told, acknowledged, take } = taking();
  take("a", said("Ev1"));
  take("b", said("Ev1"));
  take("c", { ...said("Ev2"), is_ext_shared_channel: true });
  expect(told).toMatchObject([
    { id: "Ev1", type: "message", event: { text: "hi" }, team: "T1", external: false },
    { id: "Ev2", external: true },
  ]);
  expect(acknowledged).toEqual([]);
  told[0]?.done();
  told[0]?.done();
  take("d", said("Ev1"));
  expect([acknowledged, told.length]).toEqual([["a", "b", "d"], 2]);
});

test.each([
  ["another kind of envelope", "slash_commands", { command: "/x" }],
  ["a payload without an event", "events_api", {}],
  ["an event of no kind", "events_api", { event: { type: 5 } }],
])("%s is acknowledged at once, and not told", (_, type, payload) => {
  const { told, acknowledged, take } = taking();
  take("a", payload, type);
  expect([told, acknowledged]).toEqual([[], ["a"]]);
});

test("an event without an id is known by its envelope", () => {
  const { told, take } = taking();
  for (const id of ["a", "a", "b"]) take(id, { event: { type: "message" } });
  expect(told.map(({ id }) => id)).toEqual(["a", "b"]);
});

test("Slack says that it leaves events out", () => {
  const { acknowledged, take, leftOut } = taking();
  take("a", { type: "app_rate_limited", minute_rate_limited: 1 });
  expect([acknowledged, leftOut()]).toEqual([["a"], 1]);
});

test("what is done is forgotten in time, what is not stays known", () => {
  const { told, acknowledged, take } = taking();
  take("first", said("Ev first"));
  for (let at = 0; at < 20_001; at += 1) {
    take(`e${at}`, said(`Ev${at}`));
    told.at(-1)?.done();
  }
  take("again", said("Ev first"));
  expect(told.filter(({ id }) => id === "Ev first")).toHaveLength(1);
  take("forgotten", said("Ev0"));
  expect(told.filter(({ id }) => id === "Ev0")).toHaveLength(2);
  expect(acknowledged).not.toContain("again");
});
