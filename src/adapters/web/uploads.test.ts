import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { ChatRecords } from "./store/records.ts";
import { ChatStore, StoreClosed } from "./store/store.ts";
import { Uploads } from "./uploads.ts";

test("a file whose sender goes before it is noted leaves nothing on the disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-uploads-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = new ChatStore(folder, new RecordingHost().clock, () => undefined);
  onTestFinished(async () => await store.close());
  const records = new ChatRecords(store.db);
  const uploads = new Uploads(store, records, { MaxFileSize: 100, MaxFiles: 1000, Retention: 1000 });
  const gone = new AbortController();
  const id = Uploads.newId();
  const kept = await uploads.keep(id, [Buffer.from("a file")], gone.signal);
  expect([kept.ok, readdirSync(join(folder, "files"))]).toEqual([true, [id]]);
  gone.abort();
  const file = { id, room: "lobby", guest: "g", message: "", name: "a", mime: "text/plain", bytes: 6, atMs: 0 };
  await expect(uploads.add(file, gone.signal)).rejects.toThrow(StoreClosed);
  expect([records.file(id), readdirSync(join(folder, "files"))]).toEqual([null, []]);
});
