import { expect, test } from "vitest";
import type { Author, Edited } from "../contract/events.ts";
import type { ChannelRef, MessageRef, UserRef } from "../contract/ids.ts";
import type { Known } from "../log/log.ts";
import { decodeStored } from "./codec.ts";
import { compileInbound } from "./inbound.ts";
import { compileNormalizer } from "./normalize.ts";
import { anAccount } from "./samples.suite.ts";

const NOW = Date.UTC(2026, 0, 2);
const author: Author = { id: "b@host" as UserRef, identity: null, name: "bob", avatar: null };
const EDIT: Edited = {
  kind: "edited",
  key: null,
  channel: "ref" as ChannelRef,
  atMs: NOW,
  echoOf: null,
  message: "m1" as MessageRef,
  aliases: ["m2" as MessageRef],
  author,
  vouched: false,
  body: { style: "normal", source: { format: "plain", text: "new" }, files: [] },
};
const KNOWN = { seq: 7, subject: "net.libera/#room", at: NOW, name: "bob", excerpt: "old", gone: false };

test("an edit of what nobody knows is a message where its network says so, known by the ids of the edit", () => {
  const account = anAccount("net.Libera");
  const normalizer = compileNormalizer(account, compileInbound(account));
  const record = (event: Edited, known: Known | null) => normalizer.normalize(event, "#room", NOW, [known]);
  const event = { ...EDIT, isSaidAnyway: true };
  expect(record(event, null)).toMatchObject({
    is: "entry",
    entry: { label: "", note: { is: "said", refs: ["m2"], excerpt: "new" } },
  });
  const known = { ...KNOWN, author: JSON.stringify(["b@host", null]) };
  expect(record(event, known)).toMatchObject({ entry: { note: { is: "revised", of: 7 } } });
  expect(record(EDIT, null)).toEqual({ is: "drop", reason: "unknown_target" });
});

test("an edit that lists no file removes the file of its message only where each file is listed", () => {
  const account = anAccount("net.Libera");
  const normalizer = compileNormalizer(account, compileInbound(account));
  const files = [{ id: null, name: "a.png", bytes: 1, shown: "[a.png]" }];
  const known = { ...KNOWN, author: JSON.stringify(["b@host", null]), files };
  const changedBy = (event: Edited) => {
    const recorded = normalizer.normalize(event, "#room", NOW, [known]);
    return recorded.is === "entry" ? decodeStored(recorded.entry.payload).about?.changed : null;
  };
  expect(changedBy(EDIT)).toBeUndefined();
  const removed = [{ at: 0, name: "[a.png]" }];
  expect(changedBy({ ...EDIT, hasAllFiles: true })).toEqual({ before: 1, added: [], removed });
});
