import { get, type IncomingMessage } from "node:http";
import type { Message } from "../../src/contract/message.ts";

/** Reads a stream of the API for as long as it lasts. */
export interface ApiReader {
  readonly ended: () => boolean;
  readonly stop: () => void;
}

/** Resolves once the stream has begun. */
export async function readStream(port: number, heard: (message: Message) => void): Promise<ApiReader> {
  const begun = Promise.withResolvers<IncomingMessage>();
  const request = get({ host: "127.0.0.1", port, path: "/api/stream", agent: false }, begun.resolve);
  request.on("error", begun.reject);
  const response = await begun.promise;
  let ended = false;
  let rest = "";
  response.setEncoding("utf8");
  response.on("error", () => (ended = true));
  response.on("close", () => (ended = true));
  response.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") heard(JSON.parse(line) as Message);
  });
  return { ended: () => ended, stop: () => request.destroy() };
}
