/**
 * `npm run web -- http://127.0.0.1:4280`: the pages of this checkout over a Rialto that runs, anew whenever a file
 * changes. To sign in, put the fragment of a link of `rialto dashboard` behind the address that is printed.
 */
import { join } from "node:path";
import { createServer } from "vite";
import { webConfig } from "./build/web.ts";

const target = process.argv[2] ?? "http://127.0.0.1:4280";
const server = await createServer({
  ...webConfig(join(import.meta.dirname, "..")),
  logLevel: "info",
  // Rialto takes changes from its own pages only.
  server: { host: "127.0.0.1", proxy: { "/v1": { target, changeOrigin: true, headers: { origin: target } } } },
});
await server.listen();
server.printUrls();
