import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bodyOf, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import type { SharedFile } from "../../contract/content.ts";
import type { FileChanges } from "../../contract/ops.ts";
import { Chat } from "./chat.ts";
import { channelRef } from "./ids.ts";
import { Outgoing } from "./outgoing.ts";
import { DEFAULTS } from "./samples.suite.ts";

/** A message from another network with two files, and edits of it. */
async function posted() {
  const host = new RecordingHost();
  const folder = mkdtempSync(join(tmpdir(), "rialto-edited-files-"));
  const chat = new Chat(DEFAULTS, host, folder, () => undefined);
  chat.rooms.add("lobby");
  onTestFinished(async () => {
    await chat.store.close();
    rmSync(folder, { recursive: true });
  });
  const file = (name: string): SharedFile => {
    host.files.set(fileIdOf(name), someBytes(100));
    return aSharedFile({ name, id: fileIdOf(name), bytes: 100 });
  };
  const [first, second, other] = [file("a.png"), file("b.png"), file("c.png")];
  const outgoing = new Outgoing(chat);
  const room = channelRef("lobby");
  const post = postOf(room, "look", { body: bodyOf("look", [first, second]) });
  const target = messagesOf(await outgoing.post(post, new RecordingAttempt()));
  const edit = async (files: readonly SharedFile[], changed: FileChanges) => {
    const op = { ...editOf(room, target, "see", { body: bodyOf("see", files) }), changed };
    await outgoing.edit(op, new RecordingAttempt());
    await outgoing.edit(op, new RecordingAttempt());
  };
  const shown = () => chat.timeline.find(target[0] ?? "")?.files.map(({ name }) => name);
  const kept = () => readdirSync(join(chat.store.folder, "files")).length;
  return { second, other, edit, shown, kept };
}

test("an edit replaces and removes files of a message, also when it is tried twice", async () => {
  const { second, other, edit, shown, kept } = await posted();
  await edit([second, other], { before: 2, added: [1], removed: [{ at: 0, name: "[a.png]" }] });
  expect([shown(), kept()]).toEqual([["b.png", "c.png"], 2]);
  await edit([other], { before: 2, added: [], removed: [{ at: 0, name: "[b.png]" }] });
  expect([shown(), kept()]).toEqual([["c.png"], 1]);
  await edit([], { before: 1, added: [], removed: [{ at: 0, name: "[c.png]" }] });
  expect([shown(), kept()]).toEqual([[], 0]);
});
