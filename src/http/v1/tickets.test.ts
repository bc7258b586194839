import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Access } from "../../access/access.ts";
import { TICKET_MS, Tickets } from "./tickets.ts";

const ACCESS: Access = {
  account: "api.game",
  scopes: new Set(["read"]),
  gateways: null,
  by: "token",
  token: "abcdefgh",
  name: "",
  ended: new AbortController().signal,
};

function stage() {
  let now = 0;
  const tickets = new Tickets({ monoMs: () => now, bytes: randomBytes });
  return { tickets, pass: (ms: number) => (now += ms), issue: () => tickets.issue(ACCESS) ?? "none" };
}

test("a ticket counts once", () => {
  const { tickets, issue } = stage();
  const ticket = issue();
  expect(ticket).toMatch(/^tkt_[\w-]{43}$/u);
  expect(tickets.redeem(ticket)).toBe(ACCESS);
  expect(tickets.redeem(ticket)).toBeNull();
  expect(tickets.redeem("tkt_")).toBeNull();
});

test("a ticket counts for 30 s", () => {
  const { tickets, pass, issue } = stage();
  const [early, late] = [issue(), issue()];
  pass(TICKET_MS - 1);
  expect(tickets.redeem(early)).toBe(ACCESS);
  pass(1);
  expect(tickets.redeem(late)).toBeNull();
});

test("so many may wait, and make room when their time is over", () => {
  const { tickets, pass, issue } = stage();
  for (let count = 0; count < 10_000; count++) issue();
  expect(tickets.issue(ACCESS)).toBeNull();
  pass(TICKET_MS);
  expect(tickets.issue(ACCESS)).not.toBeNull();
});
