/** An API account with `/v1` over a real log and a real server, for tests of routes. */
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { freePorts } from "../../../test/support/ports.ts";
import { loadHttp } from "../../app/api-server.ts";
import { ApiServers } from "../../app/api-servers.ts";
import type { Account, Config, Gateway } from "../../config/config.ts";
import { lazyTokens } from "../../access/lazy-tokens.ts";
import type { TokenSpec } from "../../access/token-marks.ts";
import type { Tokens } from "../../access/tokens.ts";
import { systemClock } from "../../delivery/clock.ts";
import { MemoryLogger } from "../../delivery/scripted.suite.ts";
import { MemoryFiles } from "../../delivery/stage.suite.ts";
import type { Message } from "../../contract/message.ts";
import type { FileStore } from "../../files/files.ts";
import { encode } from "../../gateway/codec.ts";
import { type LiveRoutes, liveRoutes } from "../../gateway/live-routes.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../../gateway/samples.suite.ts";
import { ampleDescriptors } from "../../lib/descriptors.suite.ts";
import { ReadWriteLock } from "../../lib/read-write-lock.ts";
import type { SqliteLogOptions } from "../../log/sqlite/open.ts";
import { openAt, scratchFolder } from "../../log/sqlite/scratch.suite.ts";
import { BodyBudget } from "../body-budget.ts";

interface V1Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined: the body is no JSON. */
  readonly body: unknown;
}

interface V1Ask {
  /** Sent as JSON, but for bytes and texts. */
  readonly body?: unknown;
  /** For `Authorization`; absent: the stage's; null: none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface V1Stage {
  readonly url: string;
  readonly log: Awaited<ReturnType<typeof openAt>>;
  readonly servers: ApiServers;
  readonly routes: LiveRoutes;
  readonly config: Config;
  readonly logger: MemoryLogger;
  readonly tokens: Tokens;
  /** The text of a new token of the account: reads and writes in all gateways, if nothing else is said. */
  readonly token: (spec?: Partial<TokenSpec>) => Promise<string>;
  readonly ask: (method: string, path: string, how?: V1Ask) => Promise<V1Answer>;
  /** Somebody says something in a room of a network; its seq. */
  readonly say: (subject: string, message?: Partial<Message>) => Promise<number>;
  /** Ends it, so that another stage can begin over its log. */
  readonly stop: () => Promise<void>;
  /** As a reload does it. */
  readonly change: (next: Config, ...reopen: readonly string[]) => Promise<void>;
}

export interface StageSettings {
  /** The account's Token; absent: it has none. */
  readonly token?: string;
  /** Absent: gateway `lobby` with `net.a` #x (in) and gateway `den` with `net.b` #y, and the account in both. */
  readonly gateways?: readonly Gateway[];
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Absent: a store that keeps nothing. */
  readonly files?: FileStore;
  /** How the log is opened. */
  readonly log?: Partial<SqliteLogOptions>;
  /** Of the log; absent: a new one. */
  readonly dataPath?: string;
}

/** Key and name of the account. */
export const STAGE_ACCOUNT = "api.game";

const TOKEN_SPEC: TokenSpec = {
  account: STAGE_ACCOUNT,
  scopes: ["read", "write"],
  gateways: null,
  name: "bot",
  expiresMs: null,
  postsPerMinute: null,
};

const GATEWAYS: readonly Gateway[] = [
  aGateway("lobby", ["inout net.a #x", "inout api.game api"]),
  aGateway("den", ["inout net.b #y", "inout api.game api"]),
];

export async function v1Stage({
  token = "",
  gateways = GATEWAYS,
  settings = {},
  files,
  log: logOptions = {},
  dataPath = scratchFolder(),
}: StageSettings = {}): Promise<V1Stage> {
  const log = await openAt(dataPath, logOptions);
  const [port = 0] = await freePorts(1);
  const account: Account = {
    ...anAccount(STAGE_ACCOUNT),
    settings: {
      BindAddress: `127.0.0.1:${port}`,
      Token: token,
      Buffer: 1_000,
      MaxBodySize: 1_000_000,
      ConsumersPerToken: 500,
      WebhooksPerToken: 64,
      StreamsPerToken: 1000,
      SocketsPerToken: 1000,
      UploadsPerToken: 4,
      PostsPerMinute: 60_000,
      ReadsPerMinute: 300_000,
      ...settings,
    },
  };
  const config = aConfig(gateways, [account]);
  const routes = liveRoutes(compileRoutes(config));
  const logger = new MemoryLogger();
  const tokens = lazyTokens({ log, clock: systemClock, bytes: randomBytes, logger: logger.logger });
  onTestFinished(() => tokens.close());
  const servers: ApiServers = new ApiServers({
    log,
    files: files ?? (Object.assign(new MemoryFiles(), { linkFor: () => null, linksUntil: () => null }) as never),
    routes,
    lock: new ReadWriteLock(),
    sharing: null,
    share: { bodies: new BodyBudget(), descriptors: ampleDescriptors() },
    http: await loadHttp(),
    logger: logger.logger,
    onDrop: () => undefined,
    hint: (...of) => servers.hint(...of),
    delivery: () => null,
    tokens: tokens.get,
  });
  onTestFinished(() => servers.close());
  await servers.open(config);
  log.tail(servers.listener);
  await servers.listen();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    log,
    servers,
    routes,
    config,
    logger,
    tokens: await tokens.get(),
    token: async (spec = {}) => {
      const { token: text } = await (await tokens.get()).create({ ...TOKEN_SPEC, ...spec });
      return text;
    },
    ask: async (method, path, how = {}) =>
      await ask(url + path, method, { token: token === "" ? null : token, ...how }),
    say: async (subject, message = {}) => {
      const [name = ""] = subject.split("/");
      const protocol = name.slice(0, name.indexOf("."));
      const payload = encode(aMessage({ account: name, protocol, gateway: "", ...message }));
      const stored = await log.append({ account: name, entries: [{ subject, key: null, label: "", payload }] });
      return stored.is === "stored" ? (stored.seqs[0] ?? 0) : 0;
    },
    stop: async () => {
      await servers.close();
      tokens.close();
      await log.close();
    },
    change: async (next, ...reopen) => {
      const compiled = compileRoutes(next);
      const changing = await servers.change({ config: next, routes: compiled, reopen: new Set(reopen) });
      const marks = changing.marks();
      if (marks.length > 0) await log.mark(marks);
      routes.swap(compiled);
      changing.swap();
      await changing.settle();
    },
  };
}

async function ask(
  url: string,
  method: string,
  { body, token = null, headers = {}, signal }: V1Ask,
): Promise<V1Answer> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const answer = await fetch(url, {
    method,
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isRaw && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
