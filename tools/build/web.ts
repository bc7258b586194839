import { join } from "node:path";
import type { OutputAsset, OutputChunk } from "rolldown";
import { build, createLogger, type InlineConfig, type Logger } from "vite";

/** Vite warns about # in the path of a checkout, but builds the pages there, too (tools/build.process.test.ts). */
function logger(): Logger {
  const vite = createLogger("warn");
  const warn: Logger["warn"] = (text, options) => {
    if (!text.includes('contains the "#" character')) vite.warn(text, options);
  };
  return { ...vite, warn };
}

/** What building the pages and working on them have in common. */
export const webConfig = (root: string): InlineConfig => ({
  root: join(root, "web"),
  configFile: false,
  logLevel: "warn",
  customLogger: logger(),
  // A page is found at more than one address: `/join` is chat.html.
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});

/** Makes dist/web of web/: two pages, with everything that they need beside them. Gives what it wrote. */
export async function buildWeb(root: string, dist: string): Promise<readonly (OutputChunk | OutputAsset)[]> {
  const made = await build({
    ...webConfig(root),
    build: {
      outDir: join(dist, "web"),
      emptyOutDir: true,
      target: "es2022",
      // It would be a script in the page.
      modulePreload: { polyfill: false },
      // Nothing in a style sheet or a script may be a `data:` address.
      assetsInlineLimit: 0,
      rolldownOptions: {
        checks: { bundlerTimings: false },
        input: { index: join(root, "web/index.html"), chat: join(root, "web/chat.html") },
      },
    },
  });
  if ("close" in made) throw new Error("nobody asked to watch the files of web/");
  return [made].flat().flatMap(({ output }) => output);
}
