import http from "node:http";
import type { Message } from "../../src/contract/message.ts";
import { Inbox, within } from "./wait.ts";

/** A client of GET /api/stream: newline-delimited JSON, read as it comes. */
export class ApiStream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** What came, part by part as the HTTP parser handed it over: one part per chunk. */
  readonly parts: Buffer[] = [];
  /** Every whole line so far, without its newline. */
  readonly lines: string[] = [];
  /** `complete` after a proper last chunk, `aborted` when the connection broke. */
  readonly ended: Promise<"complete" | "aborted">;
  readonly #inbox = new Inbox<string>();
  readonly #incoming: http.IncomingMessage;
  #rest: Buffer[] = [];

  constructor(incoming: http.IncomingMessage) {
    this.status = incoming.statusCode ?? 0;
    this.headers = incoming.headers;
    this.#incoming = incoming;
    const ended = Promise.withResolvers<"complete" | "aborted">();
    this.ended = ended.promise;
    incoming.on("error", () => ended.resolve("aborted"));
    incoming.on("close", () => ended.resolve(incoming.complete ? "complete" : "aborted"));
    incoming.on("data", (part: Buffer) => this.#take(part));
  }

  /** The next line, whatever it holds. */
  async nextLine(ms?: number): Promise<string> {
    return await this.#inbox.next(() => `a line; so far ${this.lines.length}, rest ${this.rest}`, this.ended, ms);
  }

  /** The next message; a line that is not one JSON object fails. */
  async next(ms?: number): Promise<Message> {
    return JSON.parse(await this.nextLine(ms)) as Message;
  }

  /** The texts of the next `count` messages. */
  async texts(count: number): Promise<string[]> {
    const texts: string[] = [];
    while (texts.length < count) texts.push((await this.next()).text);
    return texts;
  }

  /** What came after the last newline. */
  get rest(): string {
    return Buffer.concat(this.#rest).toString("utf8");
  }

  /** Stops reading: the kernel's buffers fill, then the server's. */
  pause(): void {
    this.#incoming.pause();
  }

  resume(): void {
    this.#incoming.resume();
  }

  /** Breaks the connection, as clients do; resolves when it is gone. */
  async close(): Promise<void> {
    this.#incoming.destroy();
    await this.ended;
  }

  #take(part: Buffer): void {
    this.parts.push(part);
    let from = 0;
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, part.subarray(from, at)]).toString("utf8");
      this.#rest = [];
      from = at + 1;
      this.lines.push(line);
      this.#inbox.push(line);
    }
    if (from < part.length) this.#rest.push(part.subarray(from));
  }
}

/** Opens a stream; resolves with the header, whatever its status. */
export async function openStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiStream> {
  const opened = Promise.withResolvers<ApiStream>();
  const agent = new http.Agent({ keepAlive: true });
  const outgoing = http.get(url, { headers: { ...headers }, agent }, (incoming) => {
    incoming.on("close", () => agent.destroy());
    opened.resolve(new ApiStream(incoming));
  });
  outgoing.on("error", opened.reject);
  return await within(opened.promise, () => `the header of ${url}`);
}
