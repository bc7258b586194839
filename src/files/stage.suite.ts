import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { AdapterLog } from "../contract/host.ts";
import { type FileId, mint } from "../contract/ids.ts";
import type { OpenedFile } from "../contract/session.ts";
import { fileId } from "./file-id.ts";
import type { FileStore, ReadyFile, WantedFile } from "./files.ts";
import { openFiles } from "./open-files.ts";
import type { FilesOptions, MediaLimits } from "./options.ts";

/** A folder that is gone when the test is over. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const DAY_MS = 24 * 3_600_000;
export const never = new AbortController().signal;
export const ENDPOINT = { url: "https://media.example", expiryMs: 30 * DAY_MS };

interface Changes extends Partial<Omit<FilesOptions, "media">> {
  readonly media?: Partial<MediaLimits>;
}

/** A store that may ask servers on this machine, takes files up to 1 MB, and has an endpoint. */
export async function stage(changes: Changes = {}): Promise<{ files: FileStore; clock: FakeClock; dataPath: string }> {
  const { media, ...others } = changes;
  const clock = new FakeClock(Date.now());
  const dataPath = changes.dataPath ?? scratch();
  const files = await openFiles({
    dataPath,
    retentionDays: 7,
    blacklisted: () => false,
    sources: { open: () => Promise.resolve(gone) },
    clock,
    log: silent,
    ...others,
    media: {
      downloadSize: 1_000_000,
      storeBytes: 1024 ** 3,
      allowPrivate: true,
      endpoint: ENDPOINT,
      folder: null,
      ...media,
    },
  });
  onTestFinished(() => files.close());
  return { files, clock, dataPath };
}

export const gone: OpenedFile = { ok: false, why: { code: "not_found", message: "it is not there" } };

const ignore = (): void => undefined;
const silent: AdapterLog = { trace: ignore, debug: ignore, info: ignore, warn: ignore };

export function wanted(id: FileId, name = "a.bin", facts: Partial<WantedFile> = {}): WantedFile {
  return { id, name, mime: null, bytes: null, ...facts };
}

export const remote = (ref: string): FileId => fileId({ is: "remote", account: "net.one", ref: mint("FileRef", ref) });

/** What a session answers with these bytes. */
export function opened(content: string | Uint8Array, facts: { bytes?: number; mime?: string } = {}): OpenedFile {
  const stream = new Blob([Buffer.from(content)]).stream() as ReadableStream<Uint8Array>;
  return { ok: true, bytes: facts.bytes ?? null, mime: facts.mime ?? null, stream };
}

/** A web server on this machine, until the test is over. */
export async function serve(handler: RequestListener, host = "127.0.0.1"): Promise<string> {
  const server = createServer(handler);
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

export async function textOf(file: OpenedFile): Promise<string> {
  if (!file.ok) throw new Error(file.why.message);
  return await new Response(file.stream).text();
}

export function had(file: ReadyFile): Extract<ReadyFile, { ok: true }> {
  if (!file.ok) throw new Error(file.why.message);
  return file;
}

export function codeOf(file: ReadyFile | OpenedFile): string {
  return file.ok ? "ok" : file.why.code;
}

/** Token and name of a link. */
export function partsOf(link: string | null): readonly [token: string, name: string] {
  const [token = "", name = ""] = new URL(link ?? "").pathname.split("/").slice(2);
  return [token, decodeURIComponent(name)];
}

/** The names of all files under a folder, relative to it. */
export function tree(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** A source that counts how often it is asked. */
export function source(answer: (ref: string) => OpenedFile | Promise<OpenedFile>) {
  const open = vi.fn<(account: string, ref: string, signal: AbortSignal) => Promise<OpenedFile>>(
    async (_account, ref) => await answer(ref),
  );
  return { open };
}
