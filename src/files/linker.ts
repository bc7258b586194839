import type { AdapterLog, Clock } from "../contract/host.ts";
import type { FileId } from "../contract/ids.ts";
import type { ContentStore } from "./content-store.ts";
import { readHead, readSlice } from "./disk.ts";
import type { Entries, FileEntry } from "./entries.ts";
import type { Published } from "./files.ts";
import { readLink, signLink } from "./links.ts";
import { putInFolder, shortSha1 } from "./media-folder.ts";
import { HEAD_BYTES, isShown, mediaType, sniff, withEnding } from "./media-type.ts";
import { cleanName, folderName } from "./names.ts";
import type { MediaLimits } from "./options.ts";
import type { FileRefusal } from "./refusal.ts";
import { Seal } from "./sealed.ts";

interface LinkerOptions {
  readonly media: MediaLimits;
  readonly content: ContentStore;
  readonly entries: Entries;
  readonly secret: Uint8Array | null;
  /** The SHA-256 of the content that begins so, once it is here; null: it had to go. */
  readonly find: (beginning: string) => Promise<string | FileRefusal | null>;
  readonly clock: Clock;
  readonly log: AdapterLog;
}

/** How often the log says that the media folder does not work. */
const COMPLAINT_MS = 600_000;
const SEALED_MAX = 1000;

/**
 * Public addresses: makes them, and tells what they lead to. The media folder goes before the endpoint where both are
 * configured.
 */
export class Linker {
  readonly #options: LinkerOptions;
  readonly #seal: Seal | null;
  /**
   * Links of `sealed` that end at `#sealedUntilS`: each reader is given the same ones, and a picture comes with every
   * message.
   */
  readonly #sealed = new Map<string, string | null>();
  #sealedUntilS = 0;
  #complainedMs = -Infinity;

  constructor(options: LinkerOptions) {
    this.#options = options;
    this.#seal = options.secret === null ? null : new Seal(options.secret);
  }

  get possible(): boolean {
    const { media, secret } = this.#options;
    return media.folder !== null || (media.endpoint !== null && secret !== null);
  }

  /** Null when there is no way to publish. A link that was made stays the same until half of its time is over. */
  async link(id: FileId, entry: FileEntry, name: string, mime: string): Promise<string | null> {
    const inFolder = await this.#inFolder(id, entry, name, mime);
    if (inFolder !== null) return inFolder;
    const { media, secret, entries, clock } = this.#options;
    if (media.endpoint === null || secret === null) return null;
    const { url, expiryMs } = media.endpoint;
    const nowMs = clock.nowMs();
    let untilS = entry.linkUntilS;
    // One that holds longer than links do now is of a time when the setting was another.
    if (untilS * 1000 < nowMs + expiryMs / 2 || untilS * 1000 > nowMs + expiryMs) {
      untilS = Math.floor((nowMs + expiryMs) / 1000);
      await this.#save(id, { ...((await entries.get(id)) ?? entry), linkUntilS: untilS });
    }
    const shown = cleanName(await withEnding(cleanName(name), mime));
    const token = signLink(secret, { content: entry.sha256, name: shown, untilS });
    return `${url}/media/${token}/${encodeURIComponent(shown)}`;
  }

  /**
   * A link to what need not be here yet, for the endpoint alone. It stays the same for half of the time that links
   * hold, and holds at least as long.
   */
  sealed(id: FileId, name: string): string | null {
    const { endpoint } = this.#options.media;
    const untilMs = this.sealedUntilMs();
    if (endpoint === null || this.#seal === null || untilMs === null) return null;
    const { url } = endpoint;
    const untilS = untilMs / 1000;
    if (untilS !== this.#sealedUntilS || this.#sealed.size >= SEALED_MAX) this.#sealed.clear();
    this.#sealedUntilS = untilS;
    // No id has a line end: it is JSON.
    const key = `${id}\n${name}`;
    const made = this.#sealed.get(key);
    if (made !== undefined) return made;
    const shown = cleanName(name);
    const token = this.#seal.close({ id, untilS }, shown);
    const link = token === null ? null : `${url}/media/${token}/${encodeURIComponent(shown)}`;
    this.#sealed.set(key, link);
    return link;
  }

  /** When the links end that `sealed` makes now, in whole seconds as Unix ms; null: it makes none. */
  sealedUntilMs(): number | null {
    const { media, clock } = this.#options;
    if (media.endpoint === null || this.#seal === null) return null;
    const halfMs = media.endpoint.expiryMs / 2;
    return Math.floor(((Math.floor(clock.nowMs() / halfMs) + 2) * halfMs) / 1000) * 1000;
  }

  /** What a link of `sealed` says; `untilMs`: when it ends or ended, Unix ms. Null: it is none. */
  unsealed(token: string, name: string): { readonly id: FileId; readonly untilMs: number } | null {
    const link = this.#seal?.open(token, name) ?? null;
    return link === null ? null : { id: link.id, untilMs: link.untilS * 1000 };
  }

  async published(token: string, name: string): Promise<Published> {
    const { secret, clock, find } = this.#options;
    const link = secret === null ? null : readLink(secret, token, name);
    if (link === null) return { is: "unknown" };
    const untilMs = link.untilS * 1000;
    if (untilMs <= clock.nowMs()) return { is: "expired" };
    const sha256 = await find(link.content);
    if (sha256 === null) return { is: "gone" };
    if (typeof sha256 !== "string") return { is: "missing", retry: sha256.retry };
    return await this.describe(sha256, name, untilMs);
  }

  async describe(sha256: string, name: string, untilMs: number): Promise<Published> {
    const { content } = this.#options;
    const file = await content.open(sha256).catch(() => null);
    if (file === null) return { is: "gone" };
    try {
      const { size } = await file.stat();
      const sniffed = await sniff(await readHead(file, HEAD_BYTES));
      const mime = await mediaType({ sniffed, name, claimed: null });
      const plain = mime === "text/plain";
      return {
        is: "file",
        file: {
          name,
          bytes: size,
          type: plain && sniffed.text ? "text/plain; charset=utf-8" : mime,
          inline: isShown(mime) && (!plain || sniffed.text),
          tag: sha256.slice(0, 32),
          untilMs,
          read: (first, last) => readSlice(content.path(sha256), first, last),
        },
      };
    } catch {
      return { is: "gone" };
    } finally {
      await file.close();
    }
  }

  async #inFolder(id: FileId, entry: FileEntry, name: string, mime: string): Promise<string | null> {
    const { media, content, entries, clock, log } = this.#options;
    if (media.folder === null) return null;
    try {
      const path = content.path(entry.sha256);
      const sha1 = entry.sha1 ?? (await shortSha1(path));
      if (entry.sha1 === null) await this.#save(id, { ...((await entries.get(id)) ?? entry), sha1 });
      // Web servers tell what a file is by its ending. All but pictures keep the names that the reference gives them.
      const shown = mime.startsWith("image/") ? await withEnding(name, mime) : name;
      return await putInFolder(media.folder, { path, sha1, sha256: entry.sha256 }, folderName(shown));
    } catch (error) {
      if (clock.nowMs() - this.#complainedMs >= COMPLAINT_MS) {
        this.#complainedMs = clock.nowMs();
        log.warn({ error: error instanceof Error ? error.message : String(error) }, "a file cannot be published");
      }
      return null;
    }
  }

  /** What is not saved is made again after a restart: another link to the same content. */
  async #save(id: FileId, entry: FileEntry): Promise<void> {
    await this.#options.entries.put(id, entry).catch(() => undefined);
  }
}
