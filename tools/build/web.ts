import { join } from "node:path";
import { build } from "vite";

/** Makes dist/web of web/: two pages, with everything that they need beside them. */
export async function buildWeb(root: string, dist: string): Promise<void> {
  await build({
    root: join(root, "web"),
    configFile: false,
    logLevel: "warn",
    // A page is found at more than one address: `/join` is chat.html.
    base: "/",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: join(dist, "web"),
      emptyOutDir: true,
      target: "es2022",
      // It would be a script in the page.
      modulePreload: { polyfill: false },
      // Nothing in a style sheet or a script may be a `data:` address.
      assetsInlineLimit: 0,
      rolldownOptions: { input: { index: join(root, "web/index.html"), chat: join(root, "web/chat.html") } },
    },
  });
}
