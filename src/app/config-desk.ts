import { createHash, createHmac } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { basename, dirname, join } from "node:path";
import { protocols } from "../adapters/registry.ts";
import { changesOf } from "../config/changes.ts";
import type { Config } from "../config/config.ts";
import { diffConfig } from "../config/diff.ts";
import { exampleConfig } from "../config/example.ts";
import { formatOf } from "../config/formats/pick.ts";
import { type Loaded, loadConfig } from "../config/load.ts";
import { type KeptSecret, maskSecrets, unmaskSecrets } from "../config/masking.ts";
import { replaceFile, whyNotOurs } from "../config/own-file.ts";
import type { ConfigProblem } from "../config/problems.ts";
import { readBounded } from "../config/read-file.ts";
import { secretNamesOf } from "../config/secret-names.ts";
import { ConfigVersions } from "../config/versions.ts";
import { checkPattern } from "../gateway/regex.ts";
import { findLoops } from "../gateway/loops.ts";
import type {
  ConfigCheck,
  ConfigDeps,
  ConfigFlaw,
  ConfigText,
  ConfigView,
  ConfigWritten,
} from "../http/admin/v1/config-deps.ts";
import { compilePositions } from "../lib/position.ts";
import { Scrubber } from "../lib/scrub.ts";
import { describe } from "../lib/describe.ts";
import type { Reloaded } from "./reload.ts";

/** What the desk for the configuration needs of the running program. */
export interface ConfigDeskOptions {
  /** As it runs now. */
  readonly running: () => Config;
  /** Null: it did not come from a file. */
  readonly reload: (() => Promise<Reloaded>) | null;
  /** The file has another content (SHA-256, base64) that is about to be read: nobody else need do it. */
  readonly wrote: (digest: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: () => number;
}

/** Larger ones are edited with something else. */
const BYTES_MAX = 1024 * 1024;
const BOM = "\uFEFF";
const BUILT_IN = "Rialto runs its built-in example; `rialto init` writes a file of your own";

const TOO_LARGE: ConfigFlaw = {
  severity: "error",
  code: "too-large",
  line: 0,
  column: 0,
  endColumn: 0,
  message: `the configuration is larger than ${BYTES_MAX} bytes`,
  remedy: "make it shorter",
};

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
  readonly #names = secretNamesOf(protocols);
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ConfigDeskOptions) {
    this.#options = options;
    this.#versions = new ConfigVersions(join(options.running().general.dataPath, "config-versions"));
  }

  async read(): Promise<ConfigView> {
    const { text, etag, why } = await this.#source();
    const { path } = this.#options.running();
    const [shown, versions] = [await this.#mask(text), await this.#versions.list()];
    return { path, text: shown.text, format: this.#format, writable: why === null, why: why ?? "", versions, etag };
  }

  async version(id: string): Promise<ConfigText | null> {
    const bytes = await this.#versions.read(id);
    return bytes === null ? null : { text: (await this.#mask(textOf(bytes))).text };
  }

  async check(text: string): Promise<ConfigCheck> {
    const { flaws, loaded, real } = await this.#try(text, await this.#source());
    if (loaded === null || flaws.some(({ severity }) => severity === "error"))
      return { problems: flaws, changes: [], needsRestart: [] };
    return { problems: flaws, ...this.#changes(loaded, await this.#scrubber(real)) };
  }

  /** Texts of which those that are masks become the secrets they stand for; null: one stands for none. */
  async reveal(texts: readonly string[]): Promise<readonly string[] | null> {
    const keptOf = await this.#compileKept(texts.join("\n"), await this.#source());
    const shown = texts.map((text) => (/^<kept:\w+>$/u.test(text) ? (keptOf(text)?.secret ?? null) : text));
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
    if (path === null || reload === null || source.why !== null) return { is: "not_ours", why: source.why ?? BUILT_IN };
    if (source.etag !== etag) return { is: "changed", etag: source.etag };
    const { flaws, loaded, real } = await this.#try(text, source);
    if (loaded === null || flaws.some(({ severity }) => severity === "error"))
      return { is: "refused", problems: flaws };
    const bytes = Buffer.from(source.bytes.toString("utf8").startsWith(BOM) ? BOM + real : real);
    const made = { ...this.#changes(loaded, await this.#scrubber(real)), etag: await this.#etag(bytes) };
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

  async #replace(path: string, bytes: Buffer, old: Buffer): ReturnType<typeof replaceFile> {
    const digest = createHash("sha256").update(bytes).digest("base64");
    return await replaceFile(path, bytes, { old, written: () => this.#options.wrote(digest) });
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

  #changes(next: Config, scrubber: Scrubber): Pick<ConfigCheck, "changes" | "needsRestart"> {
    const running = this.#options.running();
    return scrubber.cleanAll({
      changes: changesOf(running, next),
      needsRestart: diffConfig(running, next).needsRestart,
    });
  }

  /** Of what a text has as secrets, also where it has the same elsewhere. */
  async #scrubber(real: string): Promise<Scrubber> {
    return new Scrubber(Array.from((await this.#mask(real)).kept.values(), ({ secret }) => secret));
  }

  /** `loaded`: null when it cannot be started. */
  async #try(
    text: string,
    source: Source,
  ): Promise<{ readonly flaws: readonly ConfigFlaw[]; readonly loaded: Config | null; readonly real: string }> {
    const keptOf = await this.#compileKept(text, source);
    const { text: real, faults, shownAt } = unmaskSecrets(text, keptOf, { format: this.#format, names: this.#names });
    if (faults.length > 0) {
      const flaws: ConfigFlaw[] = [];
      for (const { line, column, endColumn, message, remedy } of faults)
        flaws.push({ severity: "error", code: "kept-secret", line, column, endColumn, message, remedy });
      return { flaws, loaded: null, real };
    }
    // Neither this page nor a start would read it again.
    if (Buffer.byteLength(BOM + real) > BYTES_MAX) return { flaws: [TOO_LARGE], loaded: null, real };
    const loaded = this.#load(real);
    const scrubber = await this.#scrubber(real);
    const flaws = loaded.problems.map(compileFlaw({ real, text, shownAt }));
    return { flaws: scrubber.cleanAll(flaws), loaded: loaded.ok ? loaded.config : null, real };
  }

  /** The older versions are read only for masks that the file does not have. */
  async #compileKept(text: string, source: Source): Promise<(mask: string) => KeptSecret | null> {
    const kept = new Map((await this.#mask(source.text)).kept);
    const isKnown = (): boolean => Array.from(text.matchAll(/<kept:\w+>/gu)).every(([mask]) => kept.has(mask));
    if (!isKnown()) {
      for (const { id } of await this.#versions.list()) {
        const bytes = await this.#versions.read(id);
        if (bytes === null) continue;
        for (const [mask, secret] of (await this.#mask(textOf(bytes))).kept) kept.set(mask, secret);
      }
    }
    return (mask) => kept.get(mask) ?? null;
  }

  #load(text: string): Loaded {
    const { path } = this.#options.running();
    const name = path === null ? "configuration" : basename(path);
    return loadConfig({
      source: { text, format: this.#format, name },
      env: this.#options.env,
      cwd: path === null ? process.cwd() : dirname(path),
      rules: { protocols, checkPattern, findLoops },
    });
  }

  async #mask(text: string): Promise<ReturnType<typeof maskSecrets>> {
    return maskSecrets(text, { format: this.#format, names: this.#names, key: await this.#versions.key() });
  }

  async #source(): Promise<Source> {
    const { path } = this.#options.running();
    const nothing = { bytes: Buffer.alloc(0), text: "", etag: '""' };
    if (path === null) return { ...nothing, text: exampleConfig, why: BUILT_IN };
    const read = readBounded(path, BYTES_MAX);
    if ("error" in read) return { ...nothing, why: `${path} ${read.error}` };
    const { bytes } = read;
    const etag = await this.#etag(bytes);
    const why = isUtf8(bytes) ? whyNotOurs(path) : `${path} is not UTF-8`;
    return { bytes, text: textOf(bytes), etag, why };
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

const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/u, "");

interface Texts {
  readonly real: string;
  readonly text: string;
  readonly shownAt: (offset: number) => number;
}

/** Places in the text with secrets as those in the text that was given. */
function compileFlaw({ real, text, shownAt }: Texts): (problem: ConfigProblem) => ConfigFlaw {
  const starts = [0, ...Array.from(real.matchAll(/\n/gu), ({ index }) => index + 1)];
  const place = compilePositions(text);
  return (problem) => {
    const { severity, code, message, remedy } = problem;
    const told = { severity, code, message, remedy };
    if (problem.line === 0) return { ...told, line: 0, column: 0, endColumn: 0 };
    const offset = Math.min((starts[problem.line - 1] ?? real.length) + problem.column - 1, real.length);
    const shown = shownAt(offset);
    const { line, column } = place(shown);
    const word =
      /^(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[^\s"'=:,\]}]+|.)/u.exec(text.slice(shown, shown + 1000))?.[0] ?? "";
    return { ...told, line, column, endColumn: column + word.length };
  };
}

function withoutPlace({ severity, code, message, remedy }: ConfigProblem): ConfigFlaw {
  return { severity, code, message, remedy, line: 0, column: 0, endColumn: 0 };
}
