import { expect, test } from "vitest";
import { END, type Progress } from "../../../src/contract/ids.ts";
import type { PostDraft } from "../../../src/contract/ops.ts";
import { aSharedFile } from "../../contract/shared-file.ts";
import { ALICE } from "../../contract/stage.ts";
import { plainBody } from "../../contract/texts.ts";
import { render } from "./render.ts";

const draft = (text: string, fields: Partial<PostDraft> = {}): PostDraft => ({
  author: ALICE,
  body: plainBody(text),
  reply: null,
  thread: null,
  mayPing: { users: false, everyone: false },
  ...fields,
});

test.each<
  readonly [string, PostDraft, Progress | null, readonly (readonly [text: string, from: number, end: string])[]]
>([
  ["a short text is one part", draft("hello"), null, [["<alice> hello", 0, END]]],
  ["Rialto itself has no name", draft("hello", { author: null }), null, [["hello", 0, END]]],
  [
    "a long text is cut where the room ends, and only the first part has the name",
    draft("0123456789abcdefghijklmnopqrstuvw"),
    null,
    [
      ["<alice> 0123456789ab", 0, "12"],
      ["cdefghijklmnopqrstuv", 12, "32"],
      ["w", 32, END],
    ],
  ],
  ["a later try goes on behind what was sent", draft("0123456789abcd"), "12" as Progress, [["cd", 12, END]]],
  ["behind the end there is nothing", draft("hello"), END, []],
  ["nothing to say is no part", draft(" \n"), null, []],
])("%s", (_, given, resume, wanted) => {
  expect(render(given, 20, resume).parts.map(({ text, from, end }) => [text, from, end])).toEqual(wanted);
});

test("a file is its caption, its name and its address; without one it is a loss", () => {
  const there = aSharedFile({ name: "a.png", comment: "look", url: "https://example.org/a" });
  const gone = aSharedFile({ name: "b.png" });
  const { parts, losses } = render(draft("", { author: null, body: plainBody("", "normal", [there, gone]) }), 200);
  expect(parts.map(({ text }) => text)).toEqual([
    "look: a.png (https://example.org/a)\nb.png (no public link, it is too large)",
  ]);
  expect(losses).toEqual([{ what: "file", note: "b.png has no public link" }]);
});
