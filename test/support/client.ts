import type { Message } from "../../src/contract/message.ts";
import { type Answer, request, type RequestOptions } from "./http.ts";
import { type ApiSocket, openSocket } from "./socket.ts";
import { type ApiStream, openStream } from "./stream.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** What an API client does with one account, in few words. */
export class ApiClient {
  readonly url: string;
  readonly #auth: Readonly<Record<string, string>>;

  constructor(url: string, token?: string) {
    this.url = url;
    this.#auth = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  async request(path: string, options: RequestOptions = {}): Promise<Answer> {
    return await request(this.url + path, { ...options, headers: { ...this.#auth, ...options.headers } });
  }

  /** POST /api/message with a JSON body: an object, or the text of a body as it is. */
  async post(body: Fields | string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await this.request("/api/message", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  }

  /** Posts and expects 200; returns the stored message. */
  async say(fields: Fields): Promise<Message> {
    return expectOk(await this.post(fields)) as Message;
  }

  /** GET /api/messages, expecting 200. */
  async poll(): Promise<Message[]> {
    return expectOk(await this.request("/api/messages")) as Message[];
  }

  /** The texts of one poll. */
  async texts(): Promise<string[]> {
    return (await this.poll()).map((message) => message.text);
  }

  /** Opens a stream and takes the greeting off it. */
  async stream(): Promise<ApiStream> {
    const stream = await openStream(`${this.url}/api/stream`, this.#auth);
    const greeting = await stream.next();
    if (greeting.event !== "api_connected") throw new Error(`no greeting but ${JSON.stringify(greeting)}`);
    return stream;
  }

  /** Opens a WebSocket and takes the greeting off it. */
  async socket(query = ""): Promise<ApiSocket> {
    const socket = await openSocket(`${this.url}/api/websocket${query}`, this.#auth);
    const greeting = await socket.next();
    if (greeting.event !== "api_connected") throw new Error(`no greeting but ${JSON.stringify(greeting)}`);
    return socket;
  }
}

function expectOk(answer: Answer): unknown {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text.slice(0, 400)}`);
  return answer.json();
}
