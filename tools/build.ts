/**
 * `npm run build`: makes dist/ of src/. The program and its packages become a few files, because a file costs time at
 * each start and memory as long as Rialto runs. What a start does not need is in files of its own, loaded when it is
 * wanted.
 */
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { build, type OutputOptions, type RolldownOptions } from "rolldown";
import { lazyPackages } from "./build/lazy-packages.ts";
import { bundledPackages, thirdPartyPage } from "./build/licences.ts";
import { writeTypes } from "./build/types.ts";
import { buildWeb } from "./build/web.ts";
import { ALIASES, INSTALLED, LEFT_OUT } from "./build/packages.ts";

const begin = performance.now();
const root = join(import.meta.dirname, "..");
const source = join(root, "src");
const dist = join(root, "dist");
// The build writes here and renames the folder at its end, so that a build that fails leaves dist/ as it was.
const part = join(root, "dist.part");
rmSync(part, { recursive: true, force: true });

/** The path of a module below src/; null for a module that is elsewhere. The checkout may lie below any folder. */
function belowSource(id: string): string | null {
  const path = relative(source, id);
  return path.startsWith("..") || isAbsolute(path) ? null : path.replaceAll("\\", "/");
}

const common = {
  cwd: root,
  platform: "node",
  // Where a package has both, its modules: what CommonJS for browsers loads (UMD) is not found.
  resolve: { mainFields: ["module", "main"], alias: ALIASES },
  // How long the build takes is no reason to warn.
  checks: { bundlerTimings: false },
  // What a package cannot find is a mistake of the build, not of somebody's start.
  onLog(level, log, handle) {
    if (level === "warn") throw new Error(`the build warns: ${log.message}`);
    handle(level, log);
  },
} as const satisfies RolldownOptions;

const output = {
  dir: part,
  // No subfolders: a file that is looked for beside the code, such as worker.js, is beside every part of it.
  entryFileNames: "[name].js",
  // A module that is loaded later is named with its folder: each adapter has a session.ts.
  chunkFileNames: ({ facadeModuleId }) => {
    const path = facadeModuleId === null ? null : belowSource(facadeModuleId);
    return path?.endsWith(".ts") === true ? `${path.slice(0, -".ts".length).replaceAll("/", "-")}.js` : "[name].js";
  },
  comments: false,
  // Names and lines stay, so that stack traces can be read. One character beyond Latin-1 would double what a file
  // takes in memory.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
  // For a debugger; nothing reads them at a start.
  sourcemap: true,
  sourcemapExcludeSources: true,
} as const satisfies OutputOptions;

const program = await build({
  ...common,
  input: { main: "src/main.ts", "config-worker": "src/app/config-worker.ts" },
  external: [...INSTALLED, ...LEFT_OUT],
  plugins: [lazyPackages(root)],
  output: {
    ...output,
    cleanDir: true,
    codeSplitting: {
      // Few files at a start, and little for the commands that start nothing. Never main.ts: it waits for what it
      // loads, so nothing of that may wait for it. Nor the thread's entry, which runs when it is loaded.
      groups: [
        {
          name: "common",
          test: (id) => ![null, "main.ts", "app/config-worker.ts"].includes(belowSource(id)),
          tags: ["$initial"],
          priority: 2,
        },
        {
          name: "service",
          test: (id) => belowSource(id)?.startsWith("http/") === false,
          minShareCount: 2,
          priority: 1,
        },
        { name: "http", test: (id) => belowSource(id)?.startsWith("http/") === true },
      ],
    },
  },
});
// One file each, whatever they share with the program: a thread has its own copy of all code anyway, and the other is
// for browsers.
const rest = await Promise.all(
  Object.entries({
    worker: "src/log/sqlite/worker.ts",
    side: "src/http/example/side.ts",
    "tgs-worker": "src/adapters/telegram/tgs-worker.ts",
  }).map(([name, file]) =>
    build({
      ...common,
      input: { [name]: file },
      external: [...INSTALLED],
      output: { ...output, codeSplitting: false },
    }),
  ),
);

// For programs of others, wherever they run: nothing of Node's is in it.
const client = await build({
  ...common,
  platform: "neutral",
  input: { client: "src/client/index.ts" },
  output: { ...output, codeSplitting: false },
});
writeTypes(root, join(part, "types"));
const pages = await buildWeb(root, part);

const files = [...[program, client, ...rest].flatMap(({ output: made }) => made), ...pages];
writeFileSync(join(part, "THIRD-PARTY.md"), thirdPartyPage(bundledPackages(root, files)));
// bin/rialto.js refuses to start a program of which one of these files is missing.
const code = readdirSync(part).filter((name) => name.endsWith(".js"));
writeFileSync(join(part, "files.json"), JSON.stringify(code));
rmSync(dist, { recursive: true, force: true });
renameSync(part, dist);
process.stdout.write(`Built dist/ in ${((performance.now() - begin) / 1000).toFixed(1)} s.\n`);
