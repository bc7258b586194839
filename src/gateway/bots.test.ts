import { expect, test } from "vitest";
import type { Author, Event } from "../contract/events.ts";
import type { ChannelRef, MessageRef, UserRef } from "../contract/ids.ts";
import { decodeStored, encode, isBare } from "./codec.ts";
import { compileInbound } from "./inbound.ts";
import { compileNormalizer } from "./normalize.ts";
import { anAccount } from "./samples.suite.ts";

const ANN: Author = { id: "u" as UserRef, identity: null, name: "ann", avatar: null };
const BASE = { key: null, channel: "ref" as ChannelRef, atMs: 1000, echoOf: null };
const MESSAGE = "m1" as MessageRef;

const EVENTS: readonly [string, (author: Author) => Event][] = [
  [
    "a post",
    (author) => ({
      ...BASE,
      kind: "posted",
      messages: [],
      author,
      body: { style: "normal", source: { format: "plain", text: "hi" }, files: [] },
      replyTo: null,
      thread: null,
    }),
  ],
  [
    "an edit",
    (author) => ({
      ...BASE,
      kind: "edited",
      message: MESSAGE,
      aliases: [],
      author,
      vouched: true,
      body: { style: "normal", source: { format: "plain", text: "ho" }, files: [] },
    }),
  ],
  ["a deletion", (by) => ({ ...BASE, kind: "deleted", message: MESSAGE, by, vouched: true })],
  ["a reaction", (author) => ({ ...BASE, kind: "reacted", message: MESSAGE, author, emoji: "👍", on: true })],
  ["a coming", (author) => ({ ...BASE, kind: "member", author, change: "join", text: "ann joins" })],
];

function payloadOf(event: Event): string {
  const account = anAccount("net.here");
  const known = { seq: 1, subject: "net.here/#a", at: 0, author: '["u",null]', name: "ann", excerpt: "", gone: false };
  const normalized = compileNormalizer(account, compileInbound(account)).normalize(event, "#a", 2000, [known]);
  if (normalized.is === "drop") throw new Error(normalized.reason);
  return normalized.entry.payload;
}

test.each(EVENTS)("the author of %s is a program where the network says so", (_, eventBy) => {
  const byPerson = payloadOf(eventBy(ANN));
  const byBot = payloadOf(eventBy({ ...ANN, bot: true }));
  expect(decodeStored(byPerson).bot ?? false).toBe(false);
  expect(decodeStored(byBot).bot).toBe(true);
  expect(isBare(byBot)).toBe(false);
  expect(encode(decodeStored(byBot).message)).toBe(encode(decodeStored(byPerson).message));
});
