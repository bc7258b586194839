import type { Destination, StoryState, Story } from "../../../src/admin/views.ts";
import type { StateKind } from "../parts/State.tsx";

const KINDS: Readonly<Record<Destination["state"], StateKind>> = {
  sent: "good",
  settled: "good",
  read: "good",
  folded: "good",
  sending: "warn",
  waiting: "warn",
  unconfirmed: "warn",
  failed: "bad",
  expired: "bad",
  withheld: "bad",
  cancelled: "none",
  omitted: "none",
  unread: "none",
  before: "none",
  unknown: "none",
};

export const STATE_KINDS: Readonly<Record<StoryState, StateKind>> = {
  arrived: "good",
  waiting: "warn",
  unconfirmed: "warn",
  refused: "bad",
  none: "none",
};

export const kindOf = ({ state }: Pick<Destination, "state">): StateKind => KINDS[state];

/** It did not arrive, or nobody knows; and it is a message by itself. */
export const canGoAgain = ({ gone, about }: Pick<Story, "gone" | "about">, { state }: Pick<Destination, "state">) =>
  !gone &&
  (about === null || about.is === "reply") &&
  (state === "failed" || state === "expired" || state === "unconfirmed");

/** Something of it may be otherwise in a moment. */
export const isUnderWay = ({ destinations }: Pick<Story, "destinations">): boolean =>
  destinations.some(({ state }) => state === "sending" || state === "waiting");

/** When it is asked for again: soon while it is young, and seldom when it waits for long. */
export const pollMs = (story: Pick<Story, "atMs">, nowMs: number): number =>
  Math.min(Math.max(1_000, (nowMs - story.atMs) / 10), 15_000);
