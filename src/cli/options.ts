import { suggest } from "../lib/suggest.ts";

/** `value`: what stands for the value in texts; null: a switch. `short`: another name of one letter. */
interface OptionRule {
  readonly value: string | null;
  readonly short?: string;
}

/** Every option of the command line. A command takes those that its rule in args.ts lists, and the common ones. */
const OPTIONS = {
  conf: { value: "FILE", short: "c" },
  data: { value: "DIR" },
  debug: { value: null, short: "d" },
  version: { value: null, short: "v" },
  help: { value: null, short: "h" },
  socket: { value: "PATH" },
  watch: { value: null, short: "w" },
  json: { value: null },
  online: { value: null },
  ids: { value: null },
  as: { value: "NAME" },
  quiet: { value: null, short: "q" },
  account: { value: "ACCOUNT" },
  gateways: { value: "A,B" },
  scopes: { value: "A,B" },
  name: { value: "NAME" },
  expires: { value: "DURATION" },
  "posts-per-minute": { value: "N" },
  uses: { value: "N" },
  hold: { value: null },
  local: { value: null },
  "may-double": { value: null },
  "or-example": { value: null },
  gops: { value: null },
  nocolor: { value: null },
} as const satisfies Record<string, OptionRule>;
export type OptionName = keyof typeof OPTIONS;

type ValueOf<Name extends OptionName> = (typeof OPTIONS)[Name]["value"] extends null ? boolean : string;
export type Values = { readonly [Name in OptionName]?: ValueOf<Name> };

/** `problem`: the first thing that is wrong with the options; the rest is read all the same. */
export interface ReadLine {
  readonly values: Values;
  readonly words: readonly string[];
  readonly problem: string | null;
}

const isOption = (name: string): name is OptionName => Object.hasOwn(OPTIONS, name);

/** Other names of options. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...Object.entries<OptionRule>(OPTIONS).map(([name, { short = name }]): [string, string] => [short, name]),
  // Some service files of matterbridge have it.
  ["config", "conf"],
]);

/** Go's flag package, and therefore matterbridge, takes these after `-debug=`. */
const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/**
 * Separates options from words. An option has one dash or two, and its value follows as the next argument or after `=`.
 * Everything after `--` is a word. Pure.
 */
export function readOptions(argv: readonly string[]): ReadLine {
  const values: Record<string, boolean | string> = {};
  const words: string[] = [];
  let problem: string | null = null;
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? "";
    if (argument === "--") {
      words.push(...argv.slice(at + 1));
      break;
    }
    const [, written, inline] = /^(--?[^=]+)(?:=([^]*))?$/u.exec(argument) ?? [];
    if (written === undefined) {
      words.push(argument);
      continue;
    }
    const bare = written.replace(/^--?/u, "");
    const name = ALIASES.get(bare) ?? bare;
    if (!isOption(name)) {
      problem ??= unknown(written);
      continue;
    }
    const { value: sample }: OptionRule = OPTIONS[name];
    if (sample === null) {
      const isOn = inline === undefined ? true : SWITCHES.get(inline);
      if (isOn === undefined) problem ??= `${written} takes true or false, not "${inline}"`;
      values[name] = isOn ?? true;
      continue;
    }
    const next = argv[at + 1];
    // The next option is no value. A single dash is one.
    const isNext = inline === undefined && next !== undefined && !/^-./u.test(next);
    if (isNext) at += 1;
    const value = isNext ? next : inline;
    if (value === undefined) problem ??= `${written} needs a value: ${written} ${sample}`;
    else values[name] = value;
  }
  return { values, words, problem };
}

function unknown(written: string): string {
  const near = suggest(written.replace(/^--?/u, ""), Object.keys(OPTIONS));
  return `there is no option ${written}${near === null ? "" : `; did you mean --${near}?`}`;
}
