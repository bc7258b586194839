import http from "node:http";
import net from "node:net";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Null when it is none. */
  readonly json: Readonly<Record<string, unknown>> | null;
}

interface Asking {
  readonly method?: string;
  readonly path: string;
  readonly body?: object | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request on a connection of its own: none is left over. */
export async function ask(base: string, { method = "GET", path, body, headers = {} }: Asking): Promise<Answered> {
  const content =
    body === undefined ? undefined : body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const type = body === undefined || body instanceof Uint8Array ? {} : { "Content-Type": "application/json" };
  const own = method === "GET" ? {} : { "X-Rialto": "1", Origin: base };
  const length = content === undefined ? {} : { "Content-Length": String(content.length) };
  const options = { method, agent: false, headers: { ...type, ...length, ...own, ...headers } } as const;
  const request = http.request(new URL(path, base), options, (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.on("error", reject);
    response.on("end", () => {
      const bytes = Buffer.concat(parts);
      const isJson = /json/u.test(response.headers["content-type"] ?? "");
      const json = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : null;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, json });
    });
  });
  request.on("error", reject);
  request.end(content);
  return await promise;
}

/** A message as the page would show it; what is not used here is left out. */
export interface Shown {
  readonly id: string;
  readonly author: { readonly name: string; readonly mine: boolean; readonly network: string };
  readonly style: "normal" | "action" | "notice";
  readonly blocks: readonly unknown[];
  readonly text: string;
  readonly edited: boolean;
  readonly reply_to: { readonly id: string } | null;
  readonly reactions: readonly { readonly emoji: string; readonly count: number }[];
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly caption: string;
    readonly missing: string;
  }[];
}

export type Told = Readonly<Record<string, unknown>> & { readonly type: string };

/** Somebody with a browser: plain HTTP, and no code of the page or of the adapter. */
export class WebGuest {
  readonly base: string;
  readonly name: string;
  cookie = "";
  id = "";
  /** What stands in the room since this guest watches, oldest first. */
  readonly messages = new Map<string, Shown>();
  readonly events: Told[] = [];
  #stream: http.ClientRequest | null = null;
  #position = "";
  #line: net.Socket | null = null;

  constructor(base: string, name: string) {
    this.base = base;
    this.name = name;
  }

  async join(invite: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const secret = invite.includes("#") ? invite.slice(invite.indexOf("#") + 1) : invite;
    const answered = await ask(this.base, {
      method: "POST",
      path: "/v1/join",
      body: { invite: secret, name: this.name },
      headers,
    });
    if (answered.status !== 201) return answered;
    this.cookie = answered.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    this.id = idIn(answered, "guest");
    return answered;
  }

  async ask(asking: Asking): Promise<Answered> {
    return await ask(this.base, { ...asking, headers: { Cookie: this.cookie, ...asking.headers } });
  }

  async say(text: string, more: object = {}, key: string = randomUUID()): Promise<Answered> {
    const body = { text, ...more };
    return await this.ask({ method: "POST", path: "/v1/messages", body, headers: { "Idempotency-Key": key } });
  }

  /** As `say`, under one key until it is taken. */
  async sayUntilTaken(text: string, more: object = {}): Promise<Answered> {
    const key = randomUUID();
    for (;;) {
      const answered = await this.say(text, more, key).catch(() => null);
      if (answered !== null && answered.status !== 503 && answered.status !== 429) return answered;
      await sleep(20);
    }
  }

  /**
   * Says lines in their order, without waiting for answers: one request behind the other on one connection. What is not
   * taken is not said again.
   */
  tell(text: string): void {
    const { hostname, port, host } = new URL(this.base);
    if (this.#line === null || this.#line.destroyed) {
      this.#line = net
        .connect(Number(port), hostname)
        .on("error", () => undefined)
        .resume();
    }
    const body = JSON.stringify({ text });
    const head = [
      "POST /v1/messages HTTP/1.1",
      `Host: ${host}`,
      `Cookie: ${this.cookie}`,
      "X-Rialto: 1",
      `Idempotency-Key: ${randomUUID()}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    this.#line.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  }

  /** Says something whose body is not there yet. `arrived`: the server waits for it. */
  begin(text: string): { readonly arrived: Promise<boolean>; readonly finish: () => Promise<number> } {
    const body = JSON.stringify({ text });
    const headers = {
      Cookie: this.cookie,
      "X-Rialto": "1",
      "Idempotency-Key": randomUUID(),
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(body)),
      Expect: "100-continue",
    };
    const request = http.request(new URL("/v1/messages", this.base), { method: "POST", agent: false, headers });
    const arrived = Promise.withResolvers<boolean>();
    const status = Promise.withResolvers<number>();
    request.on("continue", () => arrived.resolve(true));
    request.on("response", (response) => {
      response.resume();
      status.resolve(response.statusCode ?? 0);
    });
    request.on("error", status.reject);
    request.flushHeaders();
    return {
      arrived: arrived.promise,
      finish: async () => {
        request.end(body);
        return await status.promise;
      },
    };
  }

  /** Watches the room; resolves when the stream stands. Again: from where it was. */
  async watch(): Promise<void> {
    this.unwatch();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const after = this.#position === "" ? {} : { "Last-Event-ID": this.#position };
    const options = { agent: false, headers: { Cookie: this.cookie, ...after } } as const;
    const request = http.get(new URL("/v1/events", this.base), options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream was refused: ${response.statusCode}`));
      let rest = "";
      response.setEncoding("utf8");
      response.on("error", () => undefined);
      response.on("data", (text: string) => {
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) if (this.#take(block) === "ready") resolve();
      });
    });
    request.on("error", reject);
    this.#stream = request;
    await promise;
  }

  unwatch(): void {
    this.#line?.destroy();
    this.#line = null;
    this.#stream?.on("error", () => undefined);
    this.#stream?.destroy();
    this.#stream = null;
  }

  #take(block: string): string {
    const fields = new Map(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    this.#position = fields.get("id") ?? this.#position;
    const data = fields.get("data");
    if (data === undefined) return "";
    const told = JSON.parse(data) as Told;
    this.events.push(told);
    if (told.type === "message.posted" || told.type === "message.edited") {
      const message = told["message"] as Shown;
      if (told.type === "message.posted" || this.messages.has(message.id)) this.messages.set(message.id, message);
    }
    if (told.type === "message.deleted") this.messages.delete(String(told["id"]));
    if (told.type === "reaction.added" || told.type === "reaction.removed") this.#react(told);
    return told.type;
  }

  #react(told: Told): void {
    const message = this.messages.get(String(told["id"]));
    if (message === undefined) return;
    const emoji = String(told["emoji"]);
    const count = Number(told["count"]);
    const others = message.reactions.filter((one) => one.emoji !== emoji);
    this.messages.set(message.id, { ...message, reactions: count > 0 ? [...others, { emoji, count }] : others });
  }
}

/** The id of what an answer holds under this key. */
export function idIn({ json }: Answered, key: string): string {
  const found = json?.[key];
  if (typeof found !== "object" || found === null || !("id" in found)) throw new Error(`no ${key} in an answer`);
  return String(found.id);
}

/** The words of a message. */
export function wordsOf(blocks: readonly unknown[]): string {
  return blocks.map(words).join("\n");
}

function words(node: unknown): string {
  if (Array.isArray(node)) return wordsOf(node);
  if (typeof node !== "object" || node === null) return "";
  if ("text" in node) return String(node.text);
  if ("items" in node && Array.isArray(node.items)) return wordsOf(node.items);
  if (!("of" in node) || !Array.isArray(node.of)) return "";
  return "t" in node && node.t === "quote" ? wordsOf(node.of) : node.of.map(words).join("");
}
