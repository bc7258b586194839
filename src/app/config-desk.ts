import { createHash, createHmac } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import { configFileIn, exampleAt } from "../config/example.ts";
import { formatOf } from "../config/formats/pick.ts";
import type { KeptSecret, Masked } from "../config/masking.ts";
import { BOM, BYTES_MAX, createFile, replaceFile, whyNotOurs } from "../config/own-file.ts";
import type { ConfigProblem } from "../config/problems.ts";
import { readBounded } from "../config/read-file.ts";
import { ConfigVersions } from "../config/versions.ts";
import type {
  ConfigCheck,
  ConfigDeps,
  ConfigFlaw,
  ConfigText,
  ConfigView,
  ConfigWritten,
} from "../http/admin/v1/config-deps.ts";
import { describe } from "../lib/describe.ts";
import type { CheckedText } from "./config-jobs.ts";
import { ConfigThread } from "./config-thread.ts";
import type { Reloaded } from "./reload.ts";

/** What the desk for the configuration needs of the running program. */
export interface ConfigDeskOptions {
  /** As it runs now. */
  readonly running: () => Config;
  /** Null: it did not come from a file. */
  readonly reload: (() => Promise<Reloaded>) | null;
  /** The file that the built-in example can be replaced by; null: none. */
  readonly newFile: string | null;
  /** The port of the dashboard. */
  readonly port: () => number;
  /** The file has another content (SHA-256, base64) that is about to be read: nobody else need do it. */
  readonly wrote: (digest: string, file: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: () => number;
}

const BUILT_IN = "Rialto runs its built-in example; `rialto init` writes a file of your own";

/** The file as it is at this moment, or why there is nothing to edit. */
interface Source {
  readonly bytes: Buffer;
  /** Without the mark of the byte order. */
  readonly text: string;
  readonly etag: string;
  /** Why it cannot be written, for people; null: it can. */
  readonly why: string | null;
}

/** Where the configuration is read, checked and replaced over the network, without its secrets. */
export class ConfigDesk implements ConfigDeps {
  readonly #options: ConfigDeskOptions;
  readonly #versions: ConfigVersions;
  readonly #thread = new ConfigThread();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ConfigDeskOptions) {
    this.#options = options;
    this.#versions = new ConfigVersions(join(options.running().general.dataPath, "config-versions"));
  }

  close(): void {
    this.#thread.close();
  }

  async read(): Promise<ConfigView> {
    const { text, etag, why } = await this.#source();
    const { path } = this.#options.running();
    const creates = path === null && why === null ? this.#options.newFile : null;
    const [shown, versions] = [await this.#mask(text), await this.#versions.list()];
    const writable = why === null;
    return { path, creates, text: shown.text, format: this.#format, writable, why: why ?? "", versions, etag };
  }

  async etag(): Promise<string> {
    return (await this.#source()).etag;
  }

  async version(id: string): Promise<ConfigText | null> {
    const bytes = await this.#versions.read(id);
    return bytes === null ? null : { text: (await this.#mask(textOf(bytes))).text };
  }

  async check(text: string): Promise<ConfigCheck> {
    const { problems, changes, needsRestart } = await this.#try(text, await this.#source());
    return { problems, changes, needsRestart };
  }

  /** Texts of which those that are masks become the secrets they stand for; null: one stands for none. */
  async reveal(texts: readonly string[]): Promise<readonly string[] | null> {
    const kept = await this.#keptIn(texts.join("\n"), await this.#source());
    const shown = texts.map((text) => (/^<kept:\w+>$/u.test(text) ? (kept.get(text)?.secret ?? null) : text));
    return shown.every((text) => text !== null) ? shown : null;
  }

  async write(text: string, etag: string): Promise<ConfigWritten> {
    const before = this.#last;
    const own = (async () => {
      await before.catch(() => undefined);
      return await this.#write(text, etag);
    })();
    this.#last = own;
    return await own;
  }

  async #write(text: string, etag: string): Promise<ConfigWritten> {
    const { path } = this.#options.running();
    const { reload } = this.#options;
    const source = await this.#source();
    const target = path ?? this.#options.newFile;
    if (target === null || reload === null || source.why !== null)
      return { is: "not_ours", why: source.why ?? BUILT_IN };
    if (source.etag !== etag) return { is: "changed", etag: source.etag };
    const { problems, changes, needsRestart, hasErrors, real } = await this.#try(text, source);
    if (hasErrors) return { is: "refused", problems };
    const bytes = Buffer.from(source.bytes.toString("utf8").startsWith(BOM) ? BOM + real : real);
    const made = { changes, needsRestart, etag: await this.#etag(bytes) };
    if (path === null) {
      const refused = await this.#create(target, bytes, reload);
      return refused ?? { is: "written", ...made };
    }
    if (!bytes.equals(source.bytes)) {
      const why = await this.#keep(source.bytes);
      if (why !== null) return { is: "not_ours", why };
      const written = await this.#replace(path, bytes, source.bytes);
      if (written.is === "refused") return { is: "not_ours", why: written.why };
      if (written.is === "changed") return { is: "changed", etag: (await this.#source()).etag };
    }
    const reloaded = await reload();
    if (reloaded.is !== "refused") return { is: "written", ...made };
    // What cannot be run must not wait for the next start either. Rialto reads the old content, so that it reports no
    // trouble with a file that is no longer there.
    if (!bytes.equals(source.bytes)) {
      await this.#replace(path, source.bytes, bytes);
      await reload();
    }
    return { is: "refused", problems: reloaded.problems.map(withoutPlace) };
  }

  /** Ends the built-in example and goes on with a file. Null: it is done. */
  async #create(path: string, bytes: Buffer, reload: () => Promise<Reloaded>): Promise<ConfigWritten | null> {
    const why = await createFile(path, bytes, () => this.#options.wrote(digestOf(bytes), path));
    if (why !== null) return { is: "not_ours", why };
    const reloaded = await reload();
    if (reloaded.is !== "refused") return null;
    // A start would read what cannot be run instead of the example.
    await rm(path, { force: true });
    return { is: "refused", problems: reloaded.problems.map(withoutPlace) };
  }

  async #replace(path: string, bytes: Buffer, old: Buffer): ReturnType<typeof replaceFile> {
    return await replaceFile(path, bytes, { old, written: () => this.#options.wrote(digestOf(bytes), path) });
  }

  /** Why it cannot, for people. */
  async #keep(bytes: Buffer): Promise<string | null> {
    try {
      await this.#versions.keep(bytes, this.#options.nowMs());
      return null;
    } catch (error) {
      return `the configuration that is replaced cannot be kept: ${describe(error)}`;
    }
  }

  async #try(text: string, source: Source): Promise<CheckedText> {
    const { running, env } = this.#options;
    const kept = await this.#keptIn(text, source);
    const done = await this.#thread.run("check", {
      text,
      format: this.#format,
      key: await this.#versions.key(),
      kept,
      path: running().path ?? this.#options.newFile,
      env: { ...env },
      cwd: process.cwd(),
      running: running(),
    });
    if (done.ok) return done.result;
    const flaw = { severity: "error", code: "unchecked", message: done.why, remedy: "" } as const;
    const problems = [{ ...flaw, line: 0, column: 0, endColumn: 0 }];
    return { problems, changes: [], needsRestart: [], hasErrors: true, real: "" };
  }

  /** What masks stand for. The older versions are read only for masks that the file does not have. */
  async #keptIn(text: string, source: Source): Promise<ReadonlyMap<string, KeptSecret>> {
    const kept = new Map((await this.#mask(source.text)).kept);
    const isKnown = (): boolean => Array.from(text.matchAll(/<kept:\w+>/gu)).every(([mask]) => kept.has(mask));
    if (!isKnown()) {
      for (const { id } of await this.#versions.list()) {
        const bytes = await this.#versions.read(id);
        if (bytes === null) continue;
        for (const [mask, secret] of (await this.#mask(textOf(bytes))).kept) kept.set(mask, secret);
      }
    }
    return kept;
  }

  async #mask(text: string): Promise<Masked> {
    const done = await this.#thread.run("mask", { text, format: this.#format, key: await this.#versions.key() });
    return done.ok ? done.result : { text: `# This text is not shown: ${done.why}.\n`, kept: new Map() };
  }

  async #source(): Promise<Source> {
    const { path } = this.#options.running();
    const nothing = { bytes: Buffer.alloc(0), text: "", etag: '""' };
    if (path === null) return await this.#example();
    const read = readBounded(path, BYTES_MAX);
    if ("error" in read) return { ...nothing, why: `${path} ${read.error}` };
    const { bytes } = read;
    const etag = await this.#etag(bytes);
    const why = isUtf8(bytes) ? whyNotOurs(path) : `${path} is not UTF-8`;
    return { bytes, text: textOf(bytes), etag, why };
  }

  /** As a file would have it. */
  async #example(): Promise<Source> {
    const { newFile, running, port } = this.#options;
    const { bindAddress = "" } = running().general.admin ?? {};
    const text = exampleAt(bindAddress.replace(/:0$/u, `:${port()}`));
    const bytes = Buffer.from(text);
    const found = newFile === null ? null : configFileIn(dirname(newFile));
    const taken = `Rialto runs its built-in example, and ${found ?? ""} is there; stop Rialto and start it with that file`;
    const why = newFile === null ? BUILT_IN : found === null ? null : taken;
    return { bytes, text, etag: await this.#etag(bytes), why };
  }

  /** Nobody can try out with it what the file holds in places that are not shown. */
  async #etag(bytes: Buffer): Promise<string> {
    const digest = createHmac("sha256", await this.#versions.key())
      .update(bytes)
      .digest("hex");
    return `"${digest.slice(0, 32)}"`;
  }

  get #format(): ConfigView["format"] {
    return formatOf(this.#options.running().path ?? "");
  }
}

const digestOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("base64");

const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/u, "");

function withoutPlace({ severity, code, message, remedy }: ConfigProblem): ConfigFlaw {
  return { severity, code, message, remedy, line: 0, column: 0, endColumn: 0 };
}
