import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, AskOptions } from "./case.ts";

/** A refused client waits so long, so that it does not measure how fast the program refuses. */
const REFUSED_MS = 100;

/** One request after the other on each of many connections. */
export class Asker {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #port: number;
  readonly #signal: AbortSignal;

  constructor(port: number, signal: AbortSignal) {
    this.#port = port;
    this.#signal = signal;
  }

  async ask(path: string, { method = "GET", token, headers = {}, body }: AskOptions = {}): Promise<Answer> {
    const bytes = Buffer.isBuffer(body) || body === undefined ? body : Buffer.from(JSON.stringify(body));
    const answer = await new Promise<Answer>((resolve) => {
      const failed = (): void => resolve({ status: 0, body: Buffer.alloc(0), headers: {} });
      const asked = request({
        port: this.#port,
        host: "127.0.0.1",
        path,
        method,
        agent: this.#agent,
        signal: this.#signal,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(bytes !== undefined && { "Content-Type": "application/json", "Content-Length": bytes.length }),
          ...headers,
        },
      });
      asked.on("error", failed);
      asked.on("response", (response) => {
        const parts: Buffer[] = [];
        response.on("error", failed);
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts), headers: response.headers });
        });
      });
      asked.end(bytes);
    });
    if (answer.status === 0 || answer.status >= 400) await delay(REFUSED_MS);
    return answer;
  }

  close(): void {
    this.#agent.destroy();
  }
}
