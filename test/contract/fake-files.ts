import type { OpenedFile } from "../../src/contract/session.ts";
import type { RemoteFiles } from "../../src/delivery/remote-files.ts";
import { readFileId } from "../../src/files/file-id.ts";
import type { Files, ReadyFile, WantedFile } from "../../src/files/files.ts";
import { readAll } from "./shared-file.ts";

/** Files in memory, without limits and links: only those of networks. */
export class FakeFiles implements Files {
  readonly #remote: RemoteFiles;

  constructor(remote: RemoteFiles) {
    this.#remote = remote;
  }

  async ready({ id, mime }: WantedFile, signal: AbortSignal): Promise<ReadyFile> {
    const opened = await this.open(id, signal);
    if (!opened.ok) return { ok: false, why: opened.why, retry: opened.why.code === "network" };
    const { length } = await readAll(opened.stream);
    return { ok: true, bytes: length, mime: mime ?? "application/octet-stream", sha256: "00", link: null };
  }

  async open(id: WantedFile["id"], signal: AbortSignal): Promise<OpenedFile> {
    const origin = readFileId(id);
    if (origin.is === "remote") return await this.#remote.open(origin.account, origin.ref, signal);
    return { ok: false, why: { code: "unsupported", message: "there are only files of networks here" } };
  }

  keep(): Promise<string | null> {
    return Promise.resolve(null);
  }

  publish(): Promise<string | null> {
    return Promise.resolve(null);
  }
}
