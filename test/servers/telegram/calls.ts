import type { FakeTelegram } from "./server.ts";
import type { WireUpdate } from "./wire.ts";

/** An answer of the Bot API. */
export interface Reply {
  readonly ok: boolean;
  readonly error_code?: number;
  readonly description?: string;
  readonly parameters?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

/** Calls methods without a library: by JSON, and with files by a form. */
export class Caller {
  readonly #server: FakeTelegram;
  readonly #token: string;

  constructor(server: FakeTelegram, token: string) {
    this.#server = server;
    this.#token = token;
  }

  async ask(method: string, body: object = {}): Promise<Reply> {
    return await this.#send(method, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }

  async upload(method: string, fields: Readonly<Record<string, string | Blob>>): Promise<Reply> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") form.append(name, value);
      else form.append(name, value, "notes.txt");
    }
    return await this.#send(method, { body: form });
  }

  async updates(more: object = {}): Promise<readonly WireUpdate[]> {
    return (await this.ask("getUpdates", more)).result as unknown as readonly WireUpdate[];
  }

  /** All that has come, which is confirmed by asking. */
  async heard(): Promise<readonly WireUpdate[]> {
    const all = await this.updates();
    const last = all.at(-1);
    if (last !== undefined) await this.updates({ offset: last.update_id + 1 });
    return all;
  }

  async #send(method: string, init: RequestInit): Promise<Reply> {
    const response = await fetch(`${this.#server.url}/bot${this.#token}/${method}`, { ...init, method: "POST" });
    const reply = (await response.json()) as Reply;
    const status = reply.error_code ?? 200;
    if (response.status !== status) throw new Error(`${status} came with the status ${response.status}`);
    return reply;
  }
}
