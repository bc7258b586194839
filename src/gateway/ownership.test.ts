import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import type { Author, Deleted, Edited, Posted, Reacted } from "../contract/events.ts";
import type { ChannelRef, MessageRef, UserRef } from "../contract/ids.ts";
import type { Known } from "../log/log.ts";
import { IdsModel } from "../log/suite/ids-model.suite.ts";
import { authorKey } from "./acts.ts";
import { compileInbound } from "./inbound.ts";
import { compileNormalizer } from "./normalize.ts";
import { anAccount } from "./samples.suite.ts";
import { subjectOf } from "./subject.ts";

/** What somebody tries: few people, rooms and refs, so that they meet. */
interface Attempt {
  readonly kind: "posted" | "edited" | "deleted" | "reacted" | "copied";
  readonly account: string;
  readonly room: string;
  readonly person: string;
  readonly identity: string | null;
  readonly refs: readonly string[];
  readonly vouched: boolean;
}

const attempts = fc.array(
  fc.record<Attempt>({
    kind: fc.constantFrom("posted", "posted", "edited", "deleted", "reacted", "copied"),
    account: fc.constantFrom("net.a", "net.b"),
    room: fc.constantFrom("#x", "#y"),
    person: fc.constantFrom("ann", "bob"),
    identity: fc.constantFrom(null, "first", "second"),
    refs: fc.array(fc.constantFrom("1", "2", "3"), { minLength: 1, maxLength: 2 }),
    vouched: fc.boolean(),
  }),
  { maxLength: 30 },
);

const recorders = new Map(
  ["net.a", "net.b"].map((name) => [name, compileNormalizer(anAccount(name), compileInbound(anAccount(name)))]),
);

function eventOf({ kind, person, identity, refs, vouched }: Attempt): Posted | Edited | Deleted | Reacted {
  const base = { key: null, channel: "c" as ChannelRef, atMs: 0, echoOf: null };
  const author: Author = { id: person as UserRef, identity, name: "alice", avatar: null };
  const [message, ...aliases] = refs as readonly [MessageRef, ...MessageRef[]];
  const source = { format: "plain", text: `by ${person}` };
  const body = { style: "normal" as const, source, files: [] };
  if (kind === "edited") return { ...base, kind, message, aliases, author, vouched, body };
  if (kind === "deleted") return { ...base, kind, message, by: author, vouched };
  if (kind === "reacted") return { ...base, kind, message, author, emoji: "x", on: true };
  return { ...base, kind: "posted", messages: [message, ...aliases], author, body, replyTo: null, thread: null };
}

/** Every accepted change, with what was known of its target before. */
function play(all: readonly Attempt[]): readonly (readonly [Attempt, Known, number])[] {
  const ids = new IdsModel();
  const changes: [Attempt, Known, number][] = [];
  for (const [index, attempt] of all.entries()) {
    const place = subjectOf(attempt.account, attempt.room);
    if (attempt.kind === "copied") {
      // A lane brings the message before this one here.
      ids.copies(`lane to ${place}`, { of: index, place, refs: attempt.refs });
      continue;
    }
    const recorder = recorders.get(attempt.account)!;
    const event = eventOf(attempt);
    const known = recorder.lookups(event, attempt.room).map((ask) => ids.find(ask.place, ask.refs));
    const recorded = recorder.normalize(event, attempt.room, 0, known);
    if (recorded.is === "drop") continue;
    const { note } = recorded.entry;
    if (note !== undefined && note.is !== "said") changes.push([attempt, ids.get(note.of)!, note.of]);
    if (note !== undefined) ids.note(index + 1, recorded.entry.subject, 0, note);
    if (known[0] !== undefined) expect(known[0]?.seq).toBe(note?.is === "said" ? undefined : note?.of);
  }
  return changes;
}

test("whatever people try with ids that they share: a change is the author's own, or a moderator's, and of the message they name", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(attempts, (all) => {
      for (const [{ kind, account, room, person, identity, vouched }, target] of play(all)) {
        const isOwn = target.subject === subjectOf(account, room) && target.author === authorKey(person, identity);
        const isHere = target.subject === subjectOf(account, room);
        expect(target.gone).toBe(false);
        if (kind === "edited") expect(isOwn || (vouched && isHere)).toBe(true);
        if (kind === "deleted") expect(isOwn || vouched).toBe(true);
        seen.add(`${kind} ${isOwn ? "own" : isHere ? "here" : "copy"}`);
      }
    }),
    { numRuns: 2000 },
  );
  expect([...seen].toSorted()).toEqual([
    "deleted copy",
    "deleted here",
    "deleted own",
    "edited here",
    "edited own",
    "reacted copy",
    "reacted here",
    "reacted own",
  ]);
});
