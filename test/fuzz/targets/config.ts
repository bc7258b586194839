import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatProblems } from "../../../src/config/problem-lines.ts";
import { load } from "../../../src/cli/load.ts";
import { type FormatName, formatOf } from "../../../src/config/formats/pick.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { json, mutated, mutatedJson, text } from "../text.ts";

const FOLDER = join(import.meta.dirname, "../../config/samples");

const SAMPLES = readdirSync(FOLDER)
  .filter((name) => !name.endsWith(".txt"))
  .map((name) => ({ format: formatOf(name), text: readFileSync(join(FOLDER, name), "utf8") }));

const KEYS =
  "api irc xmpp matrix general tengo gateway samechannelgateway left LEFT name enable in out inout account channel options accounts channels Token BindAddress Buffer IgnoreNicks ReplaceNicks StripNick RemoteNickFormat Server Nick Jid Password Login Muc MediaDownloadSize MaxAge OutageNotice __proto__ constructor x".split(
    " ",
  );

const SECRET = "hunter2-is-not-shown";

const CONFIG = {
  general: { MaxAge: "6h", OutageNotice: "5m", MediaDownloadSize: 1000 },
  api: { left: { BindAddress: "127.0.0.1:4242", Buffer: 100 } },
  irc: { libera: { Server: "irc.libera.chat:6697", Nick: "rialto" } },
  matrix: { home: { Server: "https://e.example", Login: "rialto" } },
  xmpp: { home: { Server: "e.example:5222", Jid: "r@e.example", Muc: "rooms.e.example", Nick: "r" } },
  gateway: [
    {
      name: "main",
      enable: true,
      inout: [
        { account: "api.left", channel: "api" },
        { account: "irc.libera", channel: "#room", options: { key: "k" } },
      ],
    },
  ],
};

function holds(written: string, format: FormatName, secretsInPlace: boolean): void {
  const loaded = load({ text: written, format, name: "fuzz" }, { env: {}, cwd: "/" });
  const errors = loaded.problems.filter(({ severity }) => severity === "error");
  if (!loaded.ok && errors.length === 0) throw new Error("it is refused without errors");
  if (loaded.ok && loaded.config.errors.length !== errors.length) throw new Error("an error is kept back");
  const lines = written.split("\n");
  for (const { line, column, message } of loaded.problems) {
    const length = lines[line - 1]?.length ?? (line === lines.length + 1 || line === 0 ? 0 : -1);
    const isThere =
      Number.isInteger(line) && Number.isInteger(column) && length >= 0 && column >= 0 && column <= length + 1;
    if (!isThere) throw new Error(`no such place: line ${line} of ${lines.length}, column ${column}: ${message}`);
  }
  if (secretsInPlace && formatProblems(loaded.problems).includes(SECRET)) throw new Error("a secret is shown");
}

/** Secrets in their places, as a file might have them by mistake, too. */
function withSecrets(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const tables = Object.values(value).flatMap((table: unknown) =>
    typeof table === "object" && table !== null ? [table] : [],
  );
  for (const account of tables.flatMap((table): unknown[] => Object.values(table))) {
    if (typeof account !== "object" || account === null || Array.isArray(account)) continue;
    const name = random.pick(["Token", "Password", "NickServPassword", "password"]);
    Object.assign(account, { [name]: random.pick<unknown>([SECRET, SECRET, [SECRET], { x: SECRET }]) });
  }
  return value;
}

/** What may stand before a line without moving it. */
const LAYOUT = {
  yaml: [
    "# note",
    "",
    "   ",
    '  Label: "a\n    b\n\n    c"',
    "  Label: 'x\n   y'",
    "  Label: |\n    a\n\n    b",
    "  Label: >-\n    a: b\n    c",
    "  Label: &a x",
    "  Label: [a,\n    b]",
  ],
  toml: [
    "# note",
    "",
    "  ",
    'Label = """\na\n\nb"""',
    "Label = '''\nx\n'''",
    'Label = "x"',
    'IgnoreNicks = [\n"a",\n\n"b"]',
  ],
} as const;

/** A mistake on a line that is known: it must be told for that line. */
function planted(random: Random, format: keyof typeof LAYOUT): Case {
  const lines = random.some(5, () => random.pick(LAYOUT[format]));
  // Each key once.
  const before = lines.filter(
    (line, at) => lines.findIndex((one) => keyIn(one) === keyIn(line)) === at || keyIn(line) === "",
  );
  const end = random.chance(0.3) ? "\r\n" : "\n";
  const [head, mistake] = format === "yaml" ? ["api:\n left:", "  Buffer: many"] : ["[api.left]", "Buffer = 'many'"];
  const input = [head, ...before, mistake, ""].join("\n").replaceAll("\n", end);
  const expected = input.slice(0, input.indexOf(mistake)).split("\n").length;
  return {
    show: () => JSON.stringify(input),
    run: () => {
      const { problems } = load({ text: input, format, name: "fuzz" }, { env: {}, cwd: "/" });
      const told = problems.filter(({ message }) => message.includes("Buffer"));
      if (told.length !== 1 || told[0]?.line !== expected) {
        throw new Error(`expected on line ${expected}, told: ${formatProblems(problems)}`);
      }
    },
  };
}

const keyIn = (line: string): string => /^\s*(?<key>\w+)\s*[=:]/u.exec(line)?.groups?.["key"] ?? "";

/** Configuration files: refused or taken, but never thrown at, every problem at a place that exists. */
export const config: Target = {
  name: "config",
  make: (random): Case => {
    if (random.chance(0.2)) return planted(random, random.pick(["yaml", "toml"] as const));
    const [format, input, isWhole] = ((): readonly [FormatName, string, boolean] => {
      if (random.chance(0.5)) {
        const sample = random.pick(SAMPLES);
        return [sample.format, mutated(random, sample.text), false];
      }
      if (random.chance(0.1)) return [random.pick(["toml", "yaml", "json"] as const), text(random, 30), false];
      const value = random.chance(0.8) ? mutatedJson(random, CONFIG, KEYS) : json(random, KEYS, 5);
      const written = JSON.stringify(withSecrets(random, value), null, random.int(3));
      // JSON is YAML as well.
      const either = random.pick(["json", "yaml"] as const);
      return random.chance(0.3) ? [either, mutated(random, written), false] : [either, written, true];
    })();
    return { show: () => `${format}\n${input}`, run: () => holds(input, format, isWhole) };
  },
};
