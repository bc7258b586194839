import { expect, test } from "vitest";
import { bodyOf, deleteOf, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { someBytes } from "../../../test/contract/shared-file.ts";
import * as fc from "../../../test/support/property.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { aFile, doWhole, kindsOf, ours, sending, sendingTown } from "./sending.suite.ts";

const NAMES = ["a.txt", "b.txt", "c.mp3", "d.mp4", "e.mp3", "f.ogg", "g.pdf"] as const;

/** A post as it is, or is to be after an edit. */
const state = fc.record({
  words: fc.constantFrom(0, 1, 5, 180, 260, 900, 1_700),
  files: fc.subarray([...NAMES]),
});

interface Said {
  readonly words: number;
  readonly files: readonly string[];
}

/** Words and files of what stands, without who speaks. */
const wordsOf = ({ words }: Said, mark: string): string =>
  Array.from({ length: words }, (_, at) => `${mark}${at}`).join(" ");

test("whatever is posted and edited stands there once, and is deleted whole", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 4 }), fc.boolean(), async (states, isLimited) => {
      const town = await sendingTown();
      const life = sending(town);
      const channel = life.in(town.dock);
      if (isLimited) town.server.limits.group = { count: 10, ms: 10_000 };
      let refs: readonly MessageRef[] = [];
      for (const [at, said] of states.entries()) {
        const text = wordsOf(said, "abcd".charAt(at));
        const files = said.files.map((name, place) => aFile(life, name, someBytes(100 + place)));
        const body = bodyOf(text, files);
        const op = at === 0 ? postOf(channel, "", { body }) : editOf(channel, refs, "", { body });
        const tries = await doWhole(life, town, op);
        expect(kindsOf(tries).at(-1)).toBe("delivered");
        const rows = ours(town, town.dock);
        const told = tries.flatMap(({ outcome, attempt }) =>
          at === 0 ? attempt.messages : outcome.is === "delivered" ? messagesOf(outcome) : [],
        );
        if (at === 0 || told.length > 0) refs = told;
        const standing = rows.map(({ wire }) => (wire.text ?? wire.caption ?? "").replace("[irc] <Bob>", "").trim());
        expect(
          standing
            .filter((one) => one !== "")
            .join(" ")
            .replaceAll(/\s+/g, " "),
        ).toBe(text);
        const names = rows.flatMap(({ wire }) => {
          const file = wire.document ?? wire.audio ?? wire.video;
          return file?.file_name ?? (wire.voice === undefined ? [] : "f.ogg");
        });
        expect(names.toSorted()).toEqual(said.files.toSorted());
        expect([...refs].toSorted()).toEqual(rows.map(({ id }) => String(id)).toSorted());
        expect(rows[0]?.wire.text ?? rows[0]?.wire.caption).toMatch(/^\[irc\] <Bob>/);
      }
      await doWhole(life, town, deleteOf(channel, refs));
      expect(ours(town, town.dock)).toEqual([]);
      expect(town.server.limits.impatient).toBe(0);
      await town.server.stop();
    }),
    { numRuns: 60 },
  );
});
