import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

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

test("every dependency is in the table, with its licence", () => {
  const read = (file: string): Readonly<Record<string, unknown>> =>
    JSON.parse(readFileSync(path.join(ROOT, file), "utf8")) as Readonly<Record<string, unknown>>;
  const names = Object.keys(read("package.json")["dependencies"] as object).toSorted();
  const inTable = Array.from(page.matchAll(/^\| `(?<name>[^`]+)` \| (?<licence>[\w.-]+) \|/gmu), ({ groups }) => [
    groups?.["name"],
    groups?.["licence"],
  ]);
  expect(inTable).toEqual(names.map((name) => [name, read(`node_modules/${name}/package.json`)["license"]]));
});

test("no dependency runs a script when it is installed, and the hash of each is known", () => {
  const lock = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<
      Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean; readonly integrity?: string }>
    >;
  };
  const shipped = Object.entries(lock.packages).filter(([name, { dev }]) => name !== "" && dev !== true);
  expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  expect(shipped.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  expect(page).toContain(`(${shipped.length} in all)`);
});
