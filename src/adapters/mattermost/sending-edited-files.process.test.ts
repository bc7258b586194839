import { describe, expect, test } from "vitest";
import { bodyOf, doOp, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import type { SharedFile } from "../../contract/content.ts";
import type { MessageRef, OpId } from "../../contract/ids.ts";
import type { FileChanges } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Faults } from "../../../test/servers/mattermost/faults.ts";
import { live, mattermostTown, ours } from "./town.suite.ts";

/** A post with two files, and edits of it. `version`: of the server. */
async function posted(version: string, text = "look") {
  const town = await mattermostTown({ config: { version } });
  const life = await live(town);
  const file = (name: string, bytes: number): SharedFile => {
    life.host.files.set(fileIdOf(name), someBytes(bytes));
    return aSharedFile({ name, id: fileIdOf(name), bytes });
  };
  const [first, second, other] = [file("a.png", 100), file("b.png", 200), file("c.png", 300)];
  const body = bodyOf(text, [first, second]);
  let target = messagesOf((await doOp(life, postOf(life.ref, text, { body }))).outcome);
  const edit = async (files: readonly SharedFile[], changed: FileChanges, id?: OpId): Promise<Outcome> => {
    const op = { ...editOf(life.ref, target, text, { body: bodyOf(text, files) }), changed };
    const { outcome } = await doOp(life, { ...op, id: id ?? op.id });
    if (messagesOf(outcome).length > 0) target = messagesOf(outcome);
    return outcome;
  };
  const shown = () =>
    ours(town).map(({ message, file_ids: ids = [] }) => ({
      text: message.replace(/^.*> /u, ""),
      files: ids.map((id) => town.server.world.files.get(id)?.info.name),
    }));
  return { town, first, second, other, edit, shown, target: (): readonly MessageRef[] => target };
}

const REPLACED: FileChanges = { before: 2, added: [1], removed: [{ at: 0, name: "[a.png]" }] };
const removedAt = (before: number, name: string): FileChanges => ({ before, added: [], removed: [{ at: 0, name }] });

describe("an edit", () => {
  test.each(["11.9.0", "10.5.0", "10.4.2", "5.37.0"])(
    "replaces and removes files of a post, on %s",
    async (version) => {
      const { town, second, other, edit, shown, target } = await posted(version);
      await edit([second, other], REPLACED);
      expect(shown()).toEqual([{ text: "look", files: ["b.png", "c.png"] }]);
      expect(target()).toEqual(ours(town).map(({ id }) => id));
      await edit([other], removedAt(2, "[b.png]"));
      await edit([], removedAt(1, "[c.png]"));
      expect(shown()).toEqual([{ text: "look", files: [] }]);
    },
  );

  test("replaces the files of a post without words", async () => {
    for (const version of ["11.9.0", "5.37.0"]) {
      const { other, edit, shown } = await posted(version, "");
      await edit([other], { ...REPLACED, added: [0], removed: [...REPLACED.removed, { at: 1, name: "[b.png]" }] });
      expect(shown()).toEqual([{ text: "", files: ["c.png"] }]);
    }
  });

  test("leaves a file whose post has replies where the server changes no files, and says so", async () => {
    const { town, second, edit, shown } = await posted("5.37.0");
    const [post] = ours(town);
    await town.alice.say(town.channel, "nice", { root_id: post?.id ?? "" });
    const outcome = await edit([second], removedAt(2, "[a.png]"));
    expect(outcome.is === "delivered" ? outcome.receipt.losses : []).toMatchObject([
      { what: "file", note: expect.stringContaining("a.png stays: ") as string },
    ]);
    expect(shown()).toEqual([{ text: "look", files: ["a.png", "b.png"] }]);
  });

  test("keeps a file whose content Rialto does not have any more", async () => {
    const { second, edit, shown } = await posted("11.9.0");
    await edit([{ ...second, id: null, missing: "it is gone" }], removedAt(2, "[a.png]"));
    expect(shown()).toMatchObject([{ files: ["b.png"] }]);
  });

  test.each<[string, (faults: Faults) => void]>([
    ["does not delete the replaced post at once", (faults) => faults.fail({ method: "DELETE" }, 502, 5)],
    ["deletes it without an answer", (faults) => faults.loseAnswer({ method: "DELETE" }, 1)],
  ])("leaves one post where the server %s", async (_case, breaks) => {
    const { town, second, edit, shown, target } = await posted("5.37.0");
    breaks(town.server.faults);
    const again = async () => await edit([second], removedAt(2, "[a.png]"), "edit:1" as OpId);
    await again();
    town.server.faults.clear();
    await again();
    expect(shown()).toEqual([{ text: "look", files: ["b.png"] }]);
    expect(target()).toEqual(ours(town).map(({ id }) => id));
  });
});
