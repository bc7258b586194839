import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { ApiEvent, StreamEvent } from "../../src/contract/api-v1.ts";
import { type Answer, request } from "../support/http.ts";
import { type ApiSocket, openSocket } from "../support/socket.ts";
import { type ApiStream, openStream } from "../support/stream.ts";

type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One delivery of an answer to `pull`. */
export interface Delivery {
  readonly delivery: number;
  readonly deadline: string;
  readonly event: ApiEvent;
}

export interface Pulled {
  readonly events: readonly Delivery[];
  readonly pending: number;
  readonly skipped: number;
}

/** One event of an SSE answer, with its fields as they came. */
export interface SseEvent {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: StreamEvent;
}

/** A program that uses the API below `/v1` of one account. */
export class V1 {
  readonly #base: string;
  readonly #auth: Readonly<Record<string, string>>;

  constructor(base: string, token?: string) {
    this.#base = base;
    this.#auth = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  /** `body`: bytes and texts go as they are, all else as JSON. */
  async ask(method: string, path: string, { body, headers = {} }: Asked = {}): Promise<Answer> {
    const raw = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    return await request(this.#base + path, {
      method,
      headers: {
        ...this.#auth,
        ...(raw !== undefined && {
          "Content-Type": "application/json",
          "Content-Length": String(Buffer.byteLength(raw)),
        }),
        ...headers,
      },
      ...(raw !== undefined && { body: raw }),
      patienceMs: 60_000,
    });
  }

  /** The body of an answer of this status. */
  async get<T = Json>(path: string, status = 200): Promise<T> {
    return bodyOf<T>(await this.ask("GET", path), status);
  }

  async send<T = Json>(method: string, path: string, body: unknown, status = 200): Promise<T> {
    return bodyOf<T>(await this.ask(method, path, { body }), status);
  }

  /** Posts to a gateway; resolves with the id of the message. */
  async say(gateway: string, text: string, more: Json = {}): Promise<string> {
    const body = { text, author: { name: "ann", id: "a1" }, ...more };
    const answer = await this.ask("POST", `/v1/gateways/${gateway}/messages`, {
      body,
      headers: { "Idempotency-Key": randomUUID() },
    });
    return bodyOf<{ message: { id: string } }>(answer, 201).message.id;
  }

  async consumer(spec: Json, status = 201): Promise<string> {
    const name = `c-${randomUUID().slice(0, 8)}`;
    await this.send("PUT", `/v1/consumers/${name}`, spec, status);
    return name;
  }

  async pull(name: string, body: Json = { max: 100, wait: "5s" }): Promise<Pulled> {
    return await this.send<Pulled>("POST", `/v1/consumers/${name}/pull`, body);
  }

  async ack(name: string, body: Json): Promise<Json> {
    return await this.send("POST", `/v1/consumers/${name}/ack`, body);
  }

  async stream(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiStream> {
    return await openStream(this.#base + path, { ...this.#auth, Accept: "text/event-stream", ...headers });
  }

  async socket(query = ""): Promise<ApiSocket> {
    return await openSocket(`${this.#base}/v1/socket${query}`, this.#auth);
  }
}

/** The body, of an answer that must have this status. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is what the test expects of it
export function bodyOf<T = Json>(answer: Answer, status: number): T {
  expect(`${answer.status} ${answer.status === status ? "" : answer.text}`.trim()).toBe(String(status));
  return (answer.text === "" ? {} : answer.json()) as T;
}

/** A refusal as RFC 9457 and api-v1.md have it. */
export function expectProblem(answer: Answer, status: number, code?: string): Json {
  expect(`${answer.status} ${answer.status === status ? "" : answer.text}`.trim()).toBe(String(status));
  expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/u);
  const problem = answer.json() as Json;
  expect(problem).toMatchObject({
    status,
    title: expect.stringMatching(/./u) as unknown,
    detail: expect.stringMatching(/./u) as unknown,
    instance: expect.stringMatching(/./u) as unknown,
    remedy: expect.stringMatching(/./u) as unknown,
  });
  if (code !== undefined) expect(problem["code"]).toBe(code);
  expect(problem["type"]).toBe(`/v1/problems/${String(problem["code"])}`);
  return problem;
}

/** An answer that says that it was done, in one of the ways that the target leaves open. */
export function expectTaken(answer: Answer): void {
  expect(`${answer.status} ${answer.text}`).toMatch(/^20[0124] /u);
}

/** A refusal of the client's side whose code the target leaves open. */
export function expectRefused(answer: Answer): void {
  expect(`${answer.status} ${answer.text}`).toMatch(/^4\d\d /u);
  expectProblem(answer, answer.status);
}

export const seqs = ({ events }: Pulled): string[] => events.map(({ event }) => event.seq);

export function textOf(event: StreamEvent): string | null {
  return "message" in event && "text" in event.message ? event.message.text : null;
}

export const texts = ({ events }: Pulled): (string | null)[] => events.map(({ event }) => textOf(event));

/** The next event of an SSE answer; comments and `retry` are passed over. */
export async function nextSse(stream: ApiStream): Promise<SseEvent> {
  const fields = new Map<string, string>();
  for (;;) {
    const line = await stream.nextLine();
    const [, name, value] = /^(id|event|data|retry): ?(.*)$/u.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
    else if (line === "" && fields.has("data")) {
      const data = JSON.parse(fields.get("data") ?? "") as StreamEvent;
      return { id: fields.get("id") ?? null, event: fields.get("event") ?? null, data };
    } else if (line !== "" && !line.startsWith(":")) throw new Error(`not a line of an event stream: ${line}`);
  }
}

/** Skips what a socket says until a frame has all of these fields. */
export async function frameWith(socket: ApiSocket, fields: Json): Promise<Json> {
  for (;;) {
    const frame = JSON.parse((await socket.nextFrame()).data) as Json;
    if (Object.entries(fields).every(([key, value]) => frame[key] === value)) return frame;
    if (frame["op"] === "error") throw new Error(`an error: ${JSON.stringify(frame)}`);
  }
}

/** Sends a frame with an id, and resolves with its `ok` or `error`. */
export async function askSocket(socket: ApiSocket, frame: Json): Promise<Json> {
  socket.post(frame);
  for (;;) {
    const answer = JSON.parse((await socket.nextFrame()).data) as Json;
    if (answer["id"] === frame["id"] && (answer["op"] === "ok" || answer["op"] === "error")) return answer;
  }
}
