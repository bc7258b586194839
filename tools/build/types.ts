import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes what TypeScript knows of `rialto/client` into a folder: `client/index.d.ts` and what it is made of. */
export function writeTypes(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--stripInternal"];
  const paths = ["--rootDir", "src", "--outDir", folder, "--ignoreConfig"];
  const language = [
    "--target",
    "es2024",
    "--lib",
    "es2024",
    "--exactOptionalPropertyTypes",
    "--module",
    "nodenext",
    "--strict",
    "--allowImportingTsExtensions",
  ];
  const files = ["--types", "node", "--skipLibCheck", "src/client/index.ts"];
  execFileSync(process.execPath, [compiler, ...options, ...paths, ...language, ...files], {
    cwd: root,
    stdio: "inherit",
  });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    // The compiler leaves the names of the sources, which are not there.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from\s+"\.{1,2}\/[^"]+)\.ts"/gu, '$1.js"'));
  }
}
