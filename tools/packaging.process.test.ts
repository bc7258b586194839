import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linkFindings } from "./tidy/docs.ts";
import { show } from "./tidy/tree.ts";

const root = join(import.meta.dirname, "..");
const { scripts, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly files: readonly string[];
};

test.each(["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"])(
  "who installs the package runs no script: %s",
  (name) => {
    expect(scripts[name]).toBeUndefined();
  },
);

// Of all scripts only this one runs in a checkout (`npm ci`) and never for who installs the package.
test("a checkout is built when it is installed", () => {
  expect(scripts["prepublish"]).toBe("npm run build");
});

/** The files of the package. */
function packedFiles(): readonly { readonly path: string; readonly size: number }[] {
  const how = { cwd: root, encoding: "utf8" } as const;
  const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], how);
  const [{ files: packed }] = JSON.parse(listed) as [{ readonly files: ReturnType<typeof packedFiles> }];
  return packed;
}

test("each link of a page in the package leads to a file in the package", () => {
  const textOf = (path: string): string => (path.endsWith(".md") ? readFileSync(join(root, path), "utf8") : "");
  const files = packedFiles().map(({ path }) => ({ path, text: textOf(path) }));
  expect(linkFindings(files).map(show)).toEqual([]);
});

test("the package is built before it is packed, and holds what the documentation tells to copy", () => {
  expect(scripts["prepack"]).toBe("npm run build");
  expect(files).toContain("dist");
  const packed = packedFiles();
  const paths = packed.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["bin/rialto.js", "contrib/rialto.service", "docs/systemd.md", "LICENSE"]),
  );
  expect(paths.filter((path) => /^(?:src|test|bench|tools)\//u.test(path))).toEqual([]);
  const pictures = packed.filter(({ path }) => path.endsWith(".png")).reduce((sum, { size }) => sum + size, 0);
  expect(pictures / 1024).toBeLessThan(400);
  const unit = readFileSync(join(root, "contrib/rialto.service"), "utf8");
  expect(unit).toContain("ExecStart=/usr/local/bin/rialto ");
  expect(readFileSync(join(root, "docs/systemd.md"), "utf8")).toContain("--prefix /usr/local ");
});
