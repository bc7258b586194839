import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { linkFindings, unlinkedFindings } from "./docs.ts";
import { kindFindings } from "./kinds.ts";
import { limitFindings } from "./limits.ts";
import { columnFindings, nameFindings } from "./names.ts";
import { changelogFindings, pinFindings } from "./package.ts";
import { type Finding, show } from "./tree.ts";
import { placeFindings, protocolFindings, suppressionFindings } from "./words.ts";

const scratch = mkdtempSync(join(tmpdir(), "rialto-tidy-"));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function places(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ path, line }) => `${path}:${line}`);
}

describe("limits", () => {
  function limits(name: string, text: string): readonly string[] {
    const path = join(scratch, "limits", name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    const found = limitFindings(scratch, "limits").map(({ line, message }) => `${line}: ${message}`);
    rmSync(path);
    return found;
  }
  const lines = (count: number): string => "// line\n".repeat(count);

  test.each([
    ["a file of 401 lines", "a.ts", `${lines(400)}export const a = 1;\n`, "401"],
    ["a function of 71 lines", "a.ts", `export function a(): void {\n${lines(69)}}\n`, "71"],
    ["a method of 71 lines", "a.ts", `export class A {\n  a(): void {\n${lines(69)}  }\n}\n`, "71"],
    ["an any", "a.ts", "export let a: any;\n", "any"],
    ["console", "a.ts", 'console.log("a");\n', "console"],
  ])("%s is found", (_, name, text, named) => {
    const found = limits(name, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(named);
  });

  test.each([
    ["a file of 400 lines", "a.ts", `${lines(399)}export const a = 1;\n`],
    ["a function of 70 lines", "a.ts", `export function a(): void {\n${lines(68)}}\n`],
    ["console in cli", "cli/a.ts", 'console.log("a");\n'],
    ["a long generated file", "a.generated.ts", lines(500)],
    ["a long test", "a.test.ts", `export function a(): void {\n${lines(100)}}\n`],
  ])("%s passes", (_, name, text) => {
    expect(limits(name, text)).toStrictEqual([]);
  });

  test("a folder without files is not taken for checked", () => {
    expect(() => limitFindings(scratch, "nowhere")).toThrow(/no files/i);
  });
});

describe("the kind of a test", () => {
  const found = (path: string, text: string): readonly string[] => places(kindFindings([{ path, text }]));

  test.each([
    ["a/b.test.ts", 'import { spawn } from "node:child_process";\n'],
    ["a/b.test.ts", 'import { launch } from "../support/suite.ts";\n'],
    ["a/b.test.ts", 'import { needs } from "../servers/installed.ts";\n'],
    ["a/b.main.test.ts", 'import { startNgircd } from "../servers/irc/ngircd.ts";\n'],
    ["a/b.process.test.ts", 'import {\n  needs,\n} from "../servers/installed.ts";\n'],
  ])("%s is found with %j", (path, text) => {
    expect(found(path, text)).toHaveLength(1);
  });

  test.each([
    ["a/b.process.test.ts", 'import { spawn } from "node:child_process";\n'],
    ["a/b.servers.test.ts", 'import { needs } from "../servers/installed.ts";\n'],
    ["a/b.test.ts", 'import type { Rialto } from "../support/rialto.ts";\n'],
    ["a/b.test.ts", 'import { proxy } from "../servers/proxy.ts";\n'],
    ["a/servers.ts", 'import { spawn } from "node:child_process";\n'],
  ])("%s passes with %j", (path, text) => {
    expect(found(path, text)).toStrictEqual([]);
  });
});

describe("protocol names", () => {
  const named = (path: string, text: string): readonly string[] => places(protocolFindings([{ path, text }]));

  test.each(['const a = "irc";', "// as on Discord", "/* for slack-legacy */", 'if (p === "XMPP") {}'])(
    "%s is found in the core",
    (text) => {
      expect(named("src/gateway/a.ts", `\n${text}`)).toStrictEqual(["src/gateway/a.ts:2"]);
    },
  );

  test("what adapters have in common is not one, and names none", () => {
    const kit = { path: "src/adapters/kit/a.ts", text: "// for irc" };
    expect(places(protocolFindings([kit, { path: "src/http/a.ts", text: "// a kit" }]))).toStrictEqual([
      "src/adapters/kit/a.ts:1",
    ]);
  });

  test("the name of a new adapter's folder is found as well", () => {
    const adapter = { path: "src/adapters/newnet/index.ts", text: "" };
    const found = protocolFindings([adapter, { path: "src/http/a.ts", text: "// newnet, not the api" }]);
    expect(places(found)).toStrictEqual(["src/http/a.ts:1"]);
  });

  test.each([
    ["src/adapters/irc/index.ts", '"irc"'],
    ["src/config/reference.ts", '"irc"'],
    ["src/content/formats.ts", '"irc"'],
    ["src/gateway/a.test.ts", '"irc"'],
    ["src/gateway/a.generated.ts", '"irc"'],
    ["src/http/a.ts", '"api"'],
    ["src/contract/a.ts", 'const notice = "notice_irc"; const circle = 1;'],
    ["docs/a.md", "irc"],
  ])("%s may say %s", (path, text) => {
    expect(named(path, text)).toStrictEqual([]);
  });
});

describe("places of one machine", () => {
  // Put together here, so that this file does not hold what it looks for.
  const slash = "/";
  test.each([
    `see ${slash}work/main/x`,
    `"${slash}root/.config"`,
    `(${slash}home/me/x)`,
    `https:${slash}${slash}registry.example.net/a`,
    `https:${slash}${slash}npm.mirror.example/a`,
    ["registry", "npmjs", "org"].join("."),
  ])("%s is found", (text) => {
    expect(places(placeFindings([{ path: "docs/a.md", text: `one\n${text}` }]))).toStrictEqual(["docs/a.md:2"]);
  });

  test.each(["src/home/a.ts", "and/or", "https://example.com/home/page", "a mirror of the root/branch", "./Users/x"])(
    "%s passes",
    (text) => {
      expect(placeFindings([{ path: "docs/a.md", text }])).toStrictEqual([]);
    },
  );
});

describe("suppressions", () => {
  test.each([
    "// oxlint-disable-next-line eslint/no-shadow",
    "// oxlint-disable",
    "// oxlint-disable -- because",
    "/* eslint-disable eslint/no-shadow */",
    "/* eslint-disable eslint/no-shadow -- */",
    "// oxlint-disable-next-line eslint/max-lines-per-function -- it is long",
    "// oxlint-disable-next-line typescript/no-explicit-any -- easier",
    "// @ts-expect-error",
    "// @ts-ignore the types are wrong",
    "// @ts-nocheck",
  ])("%s is found", (text) => {
    expect(places(suppressionFindings([{ path: "src/a.ts", text: `\n${text}\n` }]))).toStrictEqual(["src/a.ts:2"]);
  });

  test.each([
    "// oxlint-disable-next-line eslint/no-shadow -- the outer one is not needed here",
    "/* oxlint-disable a/b, c/d -- plain JavaScript */",
    "// @ts-expect-error a wrong call, on purpose",
  ])("%s passes", (text) => {
    expect(suppressionFindings([{ path: "src/a.ts", text }])).toStrictEqual([]);
  });
});

describe("links in Markdown", () => {
  const target = { path: "docs/api.md", text: "# The API\n\n## Polls, and streams\n\n## Polls, and streams\n" };
  const broken = (path: string, text: string): readonly string[] =>
    places(linkFindings([{ path, text }, target, { path: "src/a.ts", text: "" }]));

  test.each([
    "[a](docs/nothing.md)",
    "![a](./picture.png)",
    '[a](nothing.md "title")',
    "[a](docs/api.md#no-such-heading)",
    "[a](#nowhere)",
    "[a]: nothing.md",
    "[a](../outside.md)",
  ])("%s is found", (text) => {
    expect(broken("README.md", `# Top\n${text}\n`)).toStrictEqual(["README.md:2"]);
  });

  test.each([
    "[a](docs/api.md)",
    "[a](docs/)",
    "[a](src)",
    "[a](docs/api.md#the-api)",
    "[a](docs/api.md#polls-and-streams)",
    "[a](docs/api.md#polls-and-streams-1)",
    "[a](#top)",
    "[a](https://example.com/x.md)",
    "[a](mailto:a@example.com)",
    "`[a](nothing.md)`",
    "```\n[a](nothing.md)\n```",
  ])("%s passes", (text) => {
    expect(broken("README.md", `# Top\n${text}\n`)).toStrictEqual([]);
  });

  test("links count from the page's own folder", () => {
    expect(broken("docs/other.md", "[a](api.md) [b](../src/a.ts)")).toStrictEqual([]);
    expect(broken("docs/other.md", "[a](docs/api.md)")).toStrictEqual(["docs/other.md:1"]);
  });

  test("a page nobody links to is found", () => {
    const readme = { path: "README.md", text: "[one](docs/one.md#part)" };
    const index = { path: "docs/README.md", text: "[two](two.md)" };
    const pages = ["docs/one.md", "docs/two.md", "docs/three.md"].map((path) => ({ path, text: "" }));
    expect(places(unlinkedFindings([readme, index, ...pages]))).toStrictEqual(["docs/three.md:0"]);
  });
});

describe("package.json", () => {
  const manifest = (text: object): { path: string; text: string } => ({
    path: "package.json",
    text: JSON.stringify(text, null, 2),
  });

  test.each(["^1.2.3", "~1.2.3", "1.2", "*", "latest", ">=1.0.0", "github:a/b"])("%s is not a pin", (version) => {
    const found = pinFindings([manifest({ devDependencies: { fine: "1.2.3-rc.1", loose: version } })]);
    expect(found.map(show)).toStrictEqual([
      `package.json:4: loose is asked for as "${version}": pin one exact version`,
    ]);
  });

  test("the version needs a section of the changelog", () => {
    const changelog = (text: string): { path: string; text: string } => ({ path: "CHANGELOG.md", text });
    const version = manifest({ version: "0.1.0" });
    expect(changelogFindings([version, changelog("# Changes\n\n## 0.1.0 (2026-11-21)\n")])).toStrictEqual([]);
    expect(changelogFindings([version, changelog("## [0.1.0]\n")])).toStrictEqual([]);
    expect(changelogFindings([version, changelog("## 0.1.01\n0.1.0\n")])).toHaveLength(1);
    expect(changelogFindings([version])).toHaveLength(1);
  });
});

describe("names", () => {
  const found = (...texts: string[]): readonly string[] =>
    nameFindings(texts.map((text, index) => ({ path: `src/lib/${index}.ts`, text }))).map(show);

  test("a type that two files export is found; what is local or exported again is not", () => {
    expect(found("export interface A {}", "// first\nexport type A = string;")).toStrictEqual([
      "src/lib/1.ts:2: exports the type A, as src/lib/0.ts does",
    ]);
    expect(found("export class Ab {}", 'export { type X as Ab } from "./x.ts";')).toHaveLength(1);
    expect(found("export class A {}", 'export type { A } from "./0.ts";', "interface A {}")).toStrictEqual([]);
  });

  test("a comment of more than 120 columns is found, code and directives are not", () => {
    const wide = "x".repeat(118);
    const lines = [
      `// ${wide}`,
      ` * ${wide}`,
      `const a = "${wide}";`,
      `// oxlint-disable-next-line a -- ${wide}`,
      "// b",
    ];
    const findings = columnFindings([{ path: "src/a.ts", text: lines.join("\n") }]);
    expect(findings.map(({ line }) => line)).toStrictEqual([1, 2]);
  });
});
