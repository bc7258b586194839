import { type Finding, lineAt, type TreeFile } from "./tree.ts";

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Dependencies in package.json that are not one exact version. */
export function pinFindings(files: readonly TreeFile[]): readonly Finding[] {
  return manifests(files).flatMap(({ file, manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version))
      .map(([name, version]) => ({
        path: file.path,
        line: lineAt(file.text, file.text.indexOf(`"${name}"`)),
        message: `${name} is asked for as "${version}": pin one exact version`,
      })),
  );
}

/** A version in package.json that CHANGELOG.md has no section for. */
export function changelogFindings(files: readonly TreeFile[]): readonly Finding[] {
  const sections = files.find(({ path }) => path === "CHANGELOG.md")?.text.match(/^##\s.*$/gm) ?? [];
  const versions = new Set(sections.map((section) => /^##\s+\[?([^\]\s]+)/.exec(section)?.[1]));
  return manifests(files)
    .filter(({ manifest }) => manifest.version !== undefined && !versions.has(manifest.version))
    .map(({ manifest }) => ({
      path: "CHANGELOG.md",
      line: 0,
      message: `has no section "## ${manifest.version ?? ""}", the version in package.json`,
    }));
}

function manifests(files: readonly TreeFile[]): readonly { readonly file: TreeFile; readonly manifest: Manifest }[] {
  return files
    .filter(({ path }) => path === "package.json")
    .map((file) => ({ file, manifest: JSON.parse(file.text) as Manifest }));
}
