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

test("so many of one token may wait, which leaves some to others; they make room when they are used or over", () => {
  const { tickets, pass, issue } = stage();
  for (let count = 0; count < 1_000; count++) issue();
  expect(issue()).toBe("none");
  const other = tickets.issue({ ...ACCESS, token: "hgfedcba" }) ?? "none";
  expect(tickets.redeem(other)?.token).toBe("hgfedcba");
  pass(TICKET_MS);
  const ticket = issue();
  expect(ticket).not.toBe("none");
  for (let count = 1; count < 1_000; count++) issue();
  expect(issue()).toBe("none");
  tickets.redeem(ticket);
  expect(issue()).not.toBe("none");
});

test("so many of all may wait", () => {
  const { tickets } = stage();
  const issue = (token: string | null): boolean => tickets.issue({ ...ACCESS, token }) !== null;
  for (let count = 0; count < 5_000; count++) issue(null);
  expect(issue(null)).toBe(false);
  for (let token = 0; token < 5; token++) for (let count = 0; count < 1_000; count++) issue(String(token));
  expect(issue("5")).toBe(false);
});
