import { expect, test } from "vitest";
import { bodyOf, deleteOf, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import * as fc from "../../../test/support/property.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { aFile, doWhole, kindsOf, ours, sending, sendingTown } from "./sending.suite.ts";

/** Of the last nobody can read the content. */
const NAMES = ["a.txt", "b.txt", "c.mp3", "d.mp4", "e.mp3", "f.ogg", "g.pdf", "gone.txt", "gone.mp3"] as const;

/** A post as it is, or is to be after an edit. */
const state = fc.record({
  words: fc.constantFrom(0, 1, 5, 180, 260, 900, 1_700),
  files: fc.subarray([...NAMES], { maxLength: 6 }),
});
const trouble = fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 4 });

/** Requests that change something, but only those of these numbers. */
class Some extends RegExp {
  readonly #which: ReadonlySet<number>;
  #count = 0;

  constructor(which: readonly number[]) {
    super("^/(?:send|edit|delete)");
    this.#which = new Set(which);
  }

  override exec(text: string): RegExpExecArray | null {
    const found = super.exec(text);
    if (found !== null) this.#count += 1;
    return this.#which.has(this.#count) ? found : null;
  }
}

const MISSING = /(\S+) was shared, but could not be copied here \([^)]*\)/gu;

test("whatever is posted and edited stands there once, and is deleted whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(state, { minLength: 1, maxLength: 4 }),
      trouble,
      fc.boolean(),
      async (states, limited, isSlow) => {
        const town = await sendingTown();
        const life = sending(town);
        const channel = life.in(town.dock);
        town.server.limit({ path: new Some(limited) }, 1, limited.length);
        if (isSlow) town.server.limits.group = { count: 10, ms: 10_000 };
        let refs: readonly MessageRef[] = [];
        let standing: readonly string[] = [];
        for (const [at, { words, files: names }] of states.entries()) {
          const text = Array.from({ length: words }, (_, word) => `${"abcd".charAt(at)}${word}`).join(" ");
          const files = names.map((name, place) =>
            name.startsWith("gone")
              ? aSharedFile({ name, id: fileIdOf(name), bytes: 7 })
              : aFile(life, name, someBytes(100 + place)),
          );
          const body = bodyOf(text, files);
          const op = at === 0 ? postOf(channel, "", { body }) : editOf(channel, refs, "", { body });
          const tries = await doWhole(life, town, op);
          expect(kindsOf(tries).at(-1)).toBe("delivered");
          const rows = ours(town, town.dock);
          const told = tries.flatMap(({ outcome, attempt }) =>
            at === 0 ? attempt.messages : outcome.is === "delivered" ? messagesOf(outcome) : [],
          );
          if (at === 0 || told.length > 0) refs = told;
          const said = rows.map(({ wire }) => (wire.text ?? wire.caption ?? "").replace("[irc] <Bob>", "")).join(" ");
          const missing = Array.from(said.matchAll(MISSING), ([, name]) => name ?? "");
          expect(said.replaceAll(MISSING, " ").replaceAll(/\s+/gu, " ").trim()).toBe(text);
          const there = rows.flatMap(({ wire }) => {
            const file = wire.document ?? wire.audio ?? wire.video;
            return file?.file_name ?? (wire.voice === undefined ? [] : "f.ogg");
          });
          // An edit that names no files leaves them.
          expect([...there, ...missing].toSorted()).toEqual(names.length === 0 ? standing : names.toSorted());
          standing = there.toSorted();
          expect([...refs].toSorted()).toEqual(rows.map(({ id }) => String(id)).toSorted());
          expect(rows[0]?.wire.text ?? rows[0]?.wire.caption).toMatch(/^\[irc\] <Bob>/);
        }
        await doWhole(life, town, deleteOf(channel, refs));
        expect(ours(town, town.dock)).toEqual([]);
        await town.server.stop();
      },
    ),
    { numRuns: 60 },
  );
});
