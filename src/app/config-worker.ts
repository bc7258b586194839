import { parentPort } from "node:worker_threads";
import type { ConfigJobs } from "./config-jobs.ts";

/** One job for the thread. */
export type ConfigRequest = {
  readonly [Name in keyof ConfigJobs]: { readonly is: Name; readonly given: ConfigJobs[Name]["given"] };
}[keyof ConfigJobs];

/** The thread of `ConfigThread`: does one job at a time. A job that throws is a bug, and ends the thread. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("config-worker.ts runs as a worker thread only");
  // Imported late, so that it does not become a part of the file that each command of the program loads.
  const { configJobs } = await import("./config-jobs.ts");
  const run = (request: ConfigRequest): unknown => {
    switch (request.is) {
      case "load":
        return configJobs.load(request.given);
      case "mask":
        return configJobs.mask(request.given);
      case "check":
        return configJobs.check(request.given);
    }
  };
  port.on("message", (request: ConfigRequest) => port.postMessage(run(request)));
}

await main();
