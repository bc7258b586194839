import { type IncomingMessage, request } from "node:http";
import { onTestFinished } from "vitest";
import { eventually } from "../../../test/support/wait.ts";

export interface SseEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** A reader of server-sent events as the HTML Standard has it (§9.2.6), which does not come back by itself. */
export class SseClient {
  readonly headers: Headers;
  readonly events: SseEvent[] = [];
  /** Comments that came. */
  comments = 0;
  retry: number | null = null;
  lastId = "";
  isOver = false;
  readonly #answer: IncomingMessage;
  #rest = "";
  #fields: { data: string[]; event: string } = { data: [], event: "" };

  static async open(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    { paused = false }: { readonly paused?: boolean } = {},
  ): Promise<SseClient> {
    const asked = request(url, { headers: { Accept: "text/event-stream", ...headers } });
    asked.end();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve);
      asked.once("error", reject);
    });
    if (answer.statusCode !== 200) throw new Error(`${url} was answered by ${answer.statusCode}`);
    onTestFinished(() => void answer.destroy());
    return new SseClient(answer, paused);
  }

  private constructor(answer: IncomingMessage, paused: boolean) {
    this.#answer = answer;
    this.headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) this.headers.set(name, String(value));
    answer.setEncoding("utf8");
    answer.on("error", () => undefined);
    answer.on("close", () => (this.isOver = true));
    if (paused) answer.pause();
    else this.resume();
  }

  resume(): void {
    this.#answer.on("data", (text: string) => this.#take(text));
    this.#answer.resume();
  }

  cut(): void {
    this.#answer.destroy();
  }

  /** The first events, once there are so many. */
  async until(count: number): Promise<readonly SseEvent[]> {
    return await eventually(
      () => Promise.resolve(this.events),
      ({ length }) => length >= count,
      () => `${count} events, of which ${this.events.length} have come`,
    );
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\r|\n/u);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const [name, rest] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)];
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (name === "") this.comments += 1;
    else if (name === "data") this.#fields.data.push(value);
    else if (name === "event") this.#fields.event = value;
    else if (name === "id") this.lastId = value;
    else if (name === "retry") this.retry = Number(value);
    else throw new Error(`no field of the standard: ${name}`);
  }

  #dispatch(): void {
    const { data, event } = this.#fields;
    this.#fields = { data: [], event: "" };
    if (data.length === 0) return;
    this.events.push({ id: this.lastId === "" ? null : this.lastId, event, data: data.join("\n") });
  }
}
