/**
 * `npm run build`: makes dist/ of src/. The program and its packages become a few files, because a file costs time at
 * each start and memory as long as Rialto runs. What a start does not need is in files of its own, loaded when it is
 * wanted.
 */
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type OutputOptions, type RolldownOptions } from "rolldown";
import { lazyPackages } from "./build/lazy-packages.ts";
import { bundledPackages, thirdPartyPage } from "./build/licences.ts";
import { writeTypes } from "./build/types.ts";
import { buildWeb } from "./build/web.ts";
import { ALIASES, INSTALLED, LEFT_OUT } from "./build/packages.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

const common = {
  cwd: root,
  platform: "node",
  // Where a package has both, its modules: what CommonJS for browsers loads (UMD) is not found.
  resolve: { mainFields: ["module", "main"], alias: ALIASES },
  // What a package cannot find is a mistake of the build, not of somebody's start.
  onLog(level, log, handle) {
    if (level === "warn") throw new Error(`the build warns: ${log.message}`);
    handle(level, log);
  },
} as const satisfies RolldownOptions;

const output = {
  dir: dist,
  // No subfolders: a file that is looked for beside the code, such as worker.js, is beside every part of it.
  entryFileNames: "[name].js",
  // A module that is loaded later is named with its folder: each adapter has a session.ts.
  chunkFileNames: ({ facadeModuleId }) => {
    const path = relative(join(root, "src"), facadeModuleId ?? "");
    return path.endsWith(".ts") ? `${path.slice(0, -".ts".length).replaceAll(/[\\/]/gu, "-")}.js` : "[name].js";
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
  input: { main: "src/main.ts" },
  external: [...INSTALLED, ...LEFT_OUT],
  plugins: [lazyPackages()],
  output: {
    ...output,
    cleanDir: true,
    codeSplitting: {
      // Few files at a start, and little for the commands that start nothing. Never main.ts: it waits for what it
      // loads, so nothing of that may wait for it.
      groups: [
        { name: "common", test: /[\\/]src[\\/](?!main\.ts$)/u, tags: ["$initial"], priority: 2 },
        { name: "service", test: /[\\/]src[\\/](?!http[\\/])/u, minShareCount: 2, priority: 1 },
        { name: "http", test: /[\\/]src[\\/]http[\\/]/u },
      ],
    },
  },
});
// One file each, whatever they share with the program: a thread has its own copy of all code anyway, and the other is
// for browsers.
const rest = await Promise.all(
  Object.entries({ worker: "src/log/sqlite/worker.ts", side: "src/http/example/side.ts" }).map(([name, file]) =>
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
writeTypes(root, join(dist, "types"));
const pages = await buildWeb(root, dist);

const files = [...[program, client, ...rest].flatMap(({ output: made }) => made), ...pages];
writeFileSync(join(dist, "THIRD-PARTY.md"), thirdPartyPage(bundledPackages(files)));
