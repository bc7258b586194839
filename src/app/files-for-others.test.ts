import { expect, test, vi } from "vitest";
import { mint } from "../contract/ids.ts";
import { fileId, type FileOrigin } from "../files/file-id.ts";
import type { ReadyFile, WantedFile } from "../files/files.ts";
import { encodeStored } from "../gateway/codec.ts";
import { aFile, aMessage } from "../gateway/samples.suite.ts";
import { fetchForOthers } from "./files-for-others.ts";

const remote = (account: string, ref: string): FileOrigin => ({ is: "remote", account, ref: mint("FileRef", ref) });

test("what comes from a network that is connected here is fetched for the others, and nothing else", () => {
  const ready = vi.fn<(wanted: WantedFile) => Promise<ReadyFile>>(() => new Promise(() => undefined));
  const listener = fetchForOthers({ ready }, { isConnected: (account) => account === "net.here" });
  const files = [
    remote("net.here", "one"),
    remote("net.there", "two"),
    { is: "url", url: "https://x.example/three" } as const,
    { is: "stored", sha256: "00" } as const,
  ].map(fileId);
  const Extra = { file: files.map((_, at) => aFile({ Name: `${at}`, Data: "", Size: 7 })) };
  const stored = { message: aMessage({ Extra }), source: null, about: null, topic: null };
  const avatar = fileId(remote("net.here", "face"));
  const payloads = [
    encodeStored({ ...stored, files, avatar }),
    encodeStored({ ...stored, files: [], avatar: null }),
    null,
  ];
  listener(payloads.map((payload, seq) => ({ seq, subject: "s", at: 0, label: "", payload })));
  expect(ready.mock.calls.map(([wanted]) => wanted)).toEqual([
    { id: files[0], name: "0", mime: null, bytes: 7 },
    { id: avatar, name: "avatar", mime: null, bytes: null },
  ]);
});
