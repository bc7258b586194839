import http from "node:http";
import { within } from "./wait.ts";

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as UTF-8. */
  readonly text: string;
  readonly json: () => unknown;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The address of ours from which it is sent; any. */
  readonly from?: string;
  /** How long the answer may take. */
  readonly patienceMs?: number;
}

/** One HTTP request on a connection of its own. Rejects when no whole answer comes. */
export async function request(url: string, options: RequestOptions = {}): Promise<Answer> {
  const answer = Promise.withResolvers<Answer>();
  const outgoing = http.request(
    url,
    {
      method: options.method ?? "GET",
      headers: { ...options.headers },
      agent: false,
      ...(options.from !== undefined && { localAddress: options.from }),
    },
    (incoming) => {
      const parts: Buffer[] = [];
      incoming.on("data", (part: Buffer) => parts.push(part));
      incoming.on("error", answer.reject);
      incoming.on("end", () => answer.resolve(toAnswer(incoming, Buffer.concat(parts))));
    },
  );
  // An answer that comes before the whole request was sent may be followed by a reset: the answer counts.
  outgoing.on("error", answer.reject);
  if (options.body === undefined) outgoing.end();
  else outgoing.end(options.body);
  try {
    return await within(
      answer.promise,
      () => `the answer to ${options.method ?? "GET"} ${url}`,
      options.patienceMs ?? 15_000,
    );
  } finally {
    outgoing.destroy();
  }
}

function toAnswer(incoming: http.IncomingMessage, body: Buffer): Answer {
  const text = body.toString("utf8");
  return {
    status: incoming.statusCode ?? 0,
    reason: incoming.statusMessage ?? "",
    headers: incoming.headers,
    body,
    text,
    json: () => JSON.parse(text) as unknown,
  };
}
