import { expect } from "vitest";
import type { Network, Side } from "./network.ts";

/** What became of things that were said. */
export interface Figures {
  readonly sent: number;
  readonly lost: number;
  readonly doubled: number;
  readonly disordered: number;
}

/** `heard` in the order in which they came. */
export function figures(said: readonly string[], heard: readonly string[]): Figures {
  const places = new Map(said.map((text, at) => [text, at]));
  const got = heard.filter((text) => places.has(text));
  const order = got.map((text) => places.get(text) ?? 0);
  return {
    sent: said.length,
    lost: said.filter((text) => !got.includes(text)).length,
    doubled: got.length - new Set(got).size,
    disordered: order.filter((place, at) => place < (order[at - 1] ?? 0)).length,
  };
}

/** All of it, once and in order. */
export const whole = (sent: number): Figures => ({ sent, lost: 0, doubled: 0, disordered: 0 });

/**
 * All that we said stands once and in order. Where unknown outcomes stay so, of those `doubts` at most some may be
 * missing: each of these is unconfirmed.
 */
export function expectOurs(
  { settles = true }: Network<Side>,
  { ours, unconfirmed }: { readonly ours: Figures; readonly unconfirmed: number },
  doubts: number,
): void {
  const { sent } = ours;
  if (settles) {
    expect({ ours, unconfirmed }).toEqual({ ours: whole(sent), unconfirmed: 0 });
    return;
  }
  expect({ ...ours, lost: 0 }).toEqual(whole(sent));
  expect(ours.lost).toBeLessThanOrEqual(unconfirmed);
  expect(unconfirmed).toBeLessThanOrEqual(doubts);
}

export function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${prefix} ${at + 1}`);
}

/** For whoever reads the run. */
export function say(what: string, found: object): void {
  console.log(`figures: ${what}: ${JSON.stringify(found)}`);
}
