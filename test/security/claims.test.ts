import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { expect, test } from "vitest";
import { requiredIn } from "../../tools/build/lazy-packages.ts";
import { importsOf } from "../../tools/tidy/borders.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(ROOT, "docs/security.md"), "utf8");
const proofPage = readFileSync(path.join(ROOT, "docs/security-tests.md"), "utf8");

interface Row {
  readonly heading: string;
  readonly claim: string;
  readonly proofs: readonly { readonly file: string; readonly title: string }[];
}

/** The rows of the tables with this header, with the heading of their section. */
function tableRows(text: string, header: string): readonly { readonly heading: string; readonly row: string }[] {
  return text.split(/\n(?=## )/u).flatMap((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const [first, , ...rows] = lines.filter((line) => line.startsWith("|"));
    return first === header ? rows.map((row) => ({ heading, row })) : [];
  });
}

/** What the security page claims, by section. */
function claimsOf(text: string): readonly string[] {
  return tableRows(text, "| they try | what happens |").map(
    ({ heading, row }) => `${heading}: ${row.slice(1).split(/ \| /u)[0]?.trim() ?? ""}`,
  );
}

/** The rows of the tables that name tests. */
function rowsOf(text: string): readonly Row[] {
  return tableRows(text, "| they try | test |").map(({ heading, row }) => {
    const cells = row.slice(1, -1).split(/ \| /u);
    const proofs = Array.from(
      (cells.at(-1) ?? "").matchAll(/`(?<file>[^`]+\.test\.ts)`: (?<title>[^;]+?)(?=; `| *$)/gu),
      ({ groups }) => ({ file: groups?.["file"] ?? "", title: groups?.["title"]?.trim() ?? "" }),
    );
    return { heading, claim: (cells[0] ?? "").trim(), proofs };
  });
}

const rows = rowsOf(proofPage);

test("each claim of the security page has its row, in the same order", () => {
  const claims = claimsOf(page);
  expect(claims.length).toBeGreaterThan(25);
  expect(rows.map(({ heading, claim }) => `${heading}: ${claim}`)).toEqual(claims);
});

test.each(rows)("somebody tries $claim: the test is there", ({ proofs }) => {
  expect(proofs.length).toBeGreaterThan(0);
  const missing = proofs.filter(({ file, title }) => {
    const whole = path.join(ROOT, file);
    return !existsSync(whole) || !readFileSync(whole, "utf8").includes(title);
  });
  expect(missing).toEqual([]);
});

test("a claim without a test, and one whose test is not there, are found", () => {
  const table = (cell: string): readonly Row[] =>
    rowsOf(`# P\n\n## A\n\n| they try | test |\n|---|---|\n| x | ${cell} |\n`);
  expect(table("none")).toEqual([{ heading: "## A", claim: "x", proofs: [] }]);
  expect(table("`a/b.test.ts`: one, two; `c.test.ts`: three")).toEqual([
    {
      heading: "## A",
      claim: "x",
      proofs: [
        { file: "a/b.test.ts", title: "one, two" },
        { file: "c.test.ts", title: "three" },
      ],
    },
  ]);
});

const readJson = (file: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(path.join(ROOT, file), "utf8")) as Readonly<Record<string, unknown>>;

/** The table after the mark with this word: packages and their licences. */
function tableAfter(word: string): readonly (readonly [string, string])[] {
  const [, text = ""] = page.split(`<!-- dependencies: ${word};`);
  const rows =
    text.split("<!-- dependencies: ")[0]?.matchAll(/^\| `(?<name>[^`]+)` \| (?<licence>[\w.-]+) \|/gmu) ?? [];
  return Array.from(rows, ({ groups }) => [groups?.["name"] ?? "", groups?.["licence"] ?? ""] as const);
}

const withLicences = (names: readonly string[]): readonly (readonly unknown[])[] =>
  names.toSorted().map((name) => [name, readJson(`node_modules/${name}/package.json`)["license"]]);

const installed = Object.keys(readJson("package.json")["dependencies"] as object);

test("every package that is installed is in the table, with its licence", () => {
  expect(tableAfter("installed")).toEqual(withLicences(installed));
});

test("every package that src/ and web/ use and that is not installed is in the other table, with its licence", () => {
  const used = ["src", "web/src"]
    .flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => /(?<!\.test|\.suite)\.tsx?$/u.test(file))
    .flatMap((file) => {
      const text = readFileSync(path.join(ROOT, file), "utf8");
      const imported = importsOf(text).filter(({ typeOnly }) => !typeOnly);
      return imported.map(({ specifier }) => specifier).concat(requiredIn(text).map(({ name }) => name));
    })
    .filter((specifier) => !specifier.startsWith(".") && !isBuiltin(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/u.exec(specifier)?.[0] ?? "");
  const bundled = [...new Set(used)].filter((name) => !installed.includes(name));
  expect(tableAfter("bundled")).toEqual(withLicences(bundled));
});

test("no dependency runs a script when it is installed, and the hash of each is known", () => {
  const packages = Object.entries(
    readJson("package-lock.json")["packages"] as Readonly<
      Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean; readonly integrity?: string }>
    >,
  ).filter(([name]) => name !== "");
  const shipped = packages.filter(([, { dev }]) => dev !== true);
  expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  expect(packages.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  expect(page).toContain(`with what it brings along (${shipped.length} in all)`);
});
