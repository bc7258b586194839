import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputAsset, OutputChunk } from "rolldown";

/** A package of which something is in dist/. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly homepage: string;
  /** What its files say about its licence, whole. */
  readonly texts: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  /** As old packages say it. */
  readonly licenses?: readonly { readonly type: string }[];
  readonly author?: string | { readonly name: string };
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
}

const FILES = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/iu;

/** The packages that these files contain code of, by name and version. */
export function bundledPackages(
  root: string,
  files: readonly (OutputChunk | OutputAsset)[],
): readonly BundledPackage[] {
  const packages = join(root, "node_modules/");
  const folders = new Set<string>();
  for (const file of files) {
    if (file.type !== "chunk") continue;
    for (const [id, { renderedLength }] of Object.entries(file.modules)) {
      if (renderedLength > 0 && id.startsWith(packages)) folders.add(packageFolder(id));
    }
  }
  return [...folders].map(describe).toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), "en"));
}

const keyOf = ({ name, version }: BundledPackage): string => `${name} ${version}`;

/** A folder within a package may have a package.json too, which names no package. */
function packageFolder(file: string): string {
  const [, folder] = /^(?<folder>.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(file) ?? [];
  if (folder === undefined || !existsSync(join(folder, "package.json"))) throw new Error(`${file} is of no package`);
  return folder;
}

function describe(folder: string): BundledPackage {
  const { name, version, license, licenses, author, homepage, repository } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Manifest;
  const texts = readdirSync(folder)
    .filter((file) => FILES.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  const licence = license ?? licenses?.map(({ type }) => type).join(" or ");
  if (licence === undefined) throw new Error(`${name} does not say its licence: it cannot be bundled`);
  if (texts.length === 0) texts.push(withoutText(name, licence, author));
  const source = typeof repository === "string" ? repository : repository?.url;
  return { name, version, licence, homepage: homepage ?? source ?? "", texts };
}

/** Some say in a word that they have the MIT licence, and bring no text of it. */
function withoutText(name: string, licence: string, author: Manifest["author"]): string {
  if (licence !== "MIT") {
    throw new Error(`${name} has no text of its licence (${licence}): it cannot be bundled, only installed`);
  }
  const holder = typeof author === "string" ? author : (author?.name ?? `the authors of ${name}`);
  return readFileSync(join(import.meta.dirname, "mit.txt"), "utf8")
    .trim()
    .replace("HOLDER", holder);
}

/** A page with the licence of each. */
export function thirdPartyPage(packages: readonly BundledPackage[]): string {
  const rows = packages.map(({ name, version, licence }) => `| \`${name}\` | ${version} | ${licence} |`);
  const sections = packages.map(({ name, version, licence, homepage, texts }) => {
    // A fence that no text ends.
    const fence = "`".repeat(
      Math.max(
        3,
        ...(texts
          .join("\n")
          .match(/`+/gu)
          ?.map(({ length }) => length + 1) ?? []),
      ),
    );
    const quoted = texts.map((text) => `${fence}text\n${text}\n${fence}\n`);
    return [`## ${name} ${version}\n`, `${licence}${homepage === "" ? "" : `, ${homepage}`}\n`, ...quoted].join("\n");
  });
  return [
    "# Third-party software",
    "",
    "The files in this folder contain these packages, each under its own licence. What is installed beside Rialto has its licence with it.",
    "",
    "| package | version | licence |",
    "|---|---|---|",
    ...rows,
    "",
    ...sections,
  ].join("\n");
}
