import { parentPort, workerData } from "node:worker_threads";
import { logFile } from "./database.ts";
import { openFailure } from "./failure.ts";
import type { WorkerOpened, WorkerReply, Request, WorkerOptions } from "./protocol.ts";
import { Store } from "./store.ts";
import { isObject } from "../../lib/shapes.ts";

const isOptions = (value: unknown): value is WorkerOptions => isObject(value) && typeof value["dataPath"] === "string";

/** The log's thread: holds the database and answers the main thread's requests. Everything that may block is here. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new Error("worker.ts runs as a worker thread only");
  if (!isOptions(workerData)) throw new Error("worker.ts needs to be told which log it is for");
  const options = workerData;
  const say = (word: WorkerOpened | WorkerReply): void => port.postMessage(word);
  let store: Store;
  try {
    store = new Store(options, say);
  } catch (error) {
    say({ is: "refused", failure: openFailure(error, options.dataPath, logFile(options.dataPath)) });
    return;
  }
  say({ is: "opened", head: store.head, stream: store.stream });
  port.on("message", (request: Request) => store.handle(request));
  // The last word is said: without a listener the thread ends by itself.
  void store.closed.then(() => port.close());
}

main();
