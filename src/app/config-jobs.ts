import { dirname, basename } from "node:path";
import { capabilitiesOf, protocols } from "../adapters/registry.ts";
import { changesOf } from "../config/changes.ts";
import type { Config } from "../config/config.ts";
import { diffConfig } from "../config/diff.ts";
import type { Environment } from "../config/environment.ts";
import type { FormatName } from "../config/formats/pick.ts";
import { type Loaded, loadConfig, type LoadRequest } from "../config/load.ts";
import { type KeptSecret, type Masked, maskSecrets, unmaskSecrets } from "../config/masking.ts";
import { BOM, BYTES_MAX } from "../config/own-file.ts";
import { type ConfigProblem, hasErrors } from "../config/problems.ts";
import { secretNamesOf } from "../config/secret-names.ts";
import { findLoops } from "../gateway/loops.ts";
import { checkPattern } from "../gateway/regex.ts";
import type { ConfigCheck, ConfigFlaw } from "../http/admin/v1/config-deps.ts";
import { compilePositions } from "../lib/position.ts";
import { Scrubber } from "../lib/scrub.ts";

/** Work on a configuration whose duration depends on the text, by name: what it is given and what it results in. */
export interface ConfigJobs {
  readonly load: { readonly given: Omit<LoadRequest, "rules">; readonly result: Loaded };
  readonly mask: { readonly given: MaskJob; readonly result: Masked };
  readonly check: { readonly given: CheckJob; readonly result: CheckedText };
}

interface MaskJob {
  readonly text: string;
  readonly format: FormatName;
  readonly key: Uint8Array;
}

interface CheckJob extends MaskJob {
  /** What the masks in the text stand for. */
  readonly kept: ReadonlyMap<string, KeptSecret>;
  /** Of the file that the text is for; null: there is none. */
  readonly path: string | null;
  readonly env: Environment;
  readonly cwd: string;
  readonly running: Config;
}

export interface CheckedText extends ConfigCheck {
  readonly hasErrors: boolean;
  /** The text with secrets in the place of their masks. */
  readonly real: string;
}

const TOO_LARGE: ConfigFlaw = {
  severity: "error",
  code: "too-large",
  line: 0,
  column: 0,
  endColumn: 0,
  message: `the configuration is larger than ${BYTES_MAX} bytes`,
  remedy: "make it shorter",
};

const names = secretNamesOf(protocols);
const rules = { protocols, capabilitiesOf, checkPattern, findLoops };

export const configJobs: {
  readonly [Name in keyof ConfigJobs]: (given: ConfigJobs[Name]["given"]) => ConfigJobs[Name]["result"];
} = { load: (request) => loadConfig({ ...request, rules }), mask, check };

function mask({ text, format, key }: MaskJob): Masked {
  return maskSecrets(text, { format, names, key });
}

function check({ text, format, key, kept, path, env, cwd, running }: CheckJob): CheckedText {
  const { text: real, faults, shownAt } = unmaskSecrets(text, (known) => kept.get(known) ?? null, { format, names });
  const refused = (problems: readonly ConfigFlaw[]): CheckedText => {
    return { problems, changes: [], needsRestart: [], hasErrors: true, real };
  };
  if (faults.length > 0) {
    const flaws: ConfigFlaw[] = [];
    for (const { line, column, endColumn, message, remedy } of faults)
      flaws.push({ severity: "error", code: "kept-secret", line, column, endColumn, message, remedy });
    return refused(flaws);
  }
  // Neither this page nor a start would read it again.
  if (Buffer.byteLength(BOM + real) > BYTES_MAX) return refused([TOO_LARGE]);
  const name = path === null ? "configuration" : basename(path);
  const source = { text: real, format, name };
  const loaded = loadConfig({ source, env, cwd: path === null ? cwd : dirname(path), rules });
  // What the text has as secrets must not be shown, also where it has the same elsewhere.
  const secrets = mask({ text: real, format, key }).kept.values();
  const scrubber = new Scrubber(Array.from(secrets, ({ secret }) => secret));
  const problems = scrubber.cleanAll(loaded.problems.map(compileFlaw({ real, text, shownAt })));
  if (!loaded.ok || hasErrors(loaded.problems)) return refused(problems);
  const changes = changesOf(running, loaded.config);
  const { needsRestart } = diffConfig(running, loaded.config);
  return { problems, ...scrubber.cleanAll({ changes, needsRestart }), hasErrors: false, real };
}

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
