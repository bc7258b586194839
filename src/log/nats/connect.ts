import { readFile } from "node:fs/promises";
import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node";
import { LogError } from "../errors.ts";

/** Most ms that the first connection may take. */
const CONNECT_MS = 15_000;
/** Time from one attempt to be let in again by a server to the next, in ms: twice as long after each refusal. */
const AGAIN_MS = 100;
const AGAIN_MAX_MS = 5000;

type NatsAuth =
  | { readonly user: string; readonly password: string }
  | { readonly token: string }
  /** Path of a file with credentials, or with the seed of an NKey. */
  | { readonly credentials: string };

export interface NatsServers {
  /** `host:port` or a URL, each. */
  readonly servers: readonly string[];
  readonly auth: NatsAuth | null;
  /** Null: without, unless a server demands it. */
  readonly tls: { readonly caFile?: string } | null;
  /** Name of this node, unique among all. */
  readonly node: string;
  /** Told each time that one of the servers does not let the node in again. */
  readonly warn?: (error: LogError) => void;
  /** Only for tests behind a proxy: keep to the servers that were named. */
  readonly onlyNamed?: boolean;
}

/**
 * Rejects with a LogError `unreachable` when none of the servers takes the connection in time; at once when one does
 * not let the node in, or has a certificate that it does not trust.
 */
export async function connectNats(options: NatsServers): Promise<NatsConnection> {
  const until = performance.now() + CONNECT_MS;
  for (;;) {
    try {
      return await tryConnection(options);
    } catch (error) {
      if (error instanceof LogError) throw error;
      if (performance.now() > until || refusalOf(error) !== null) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new LogError(
          "unreachable",
          `None of the servers of the log (${options.servers.join(", ")}) takes a connection: ${reason}.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Once. Rejects as the client does, or with a LogError when the credentials cannot be read. */
export async function tryConnection(options: NatsServers): Promise<NatsConnection> {
  const { connect } = await import("@nats-io/transport-node");
  let refused = 0;
  const nc = await connect({
    servers: [...options.servers],
    name: `rialto ${options.node}`,
    // A server that is stopped takes connections and says nothing: it is left soon, and not waited for.
    timeout: 2000,
    pingInterval: 1000,
    maxPingOut: 2,
    reconnectDelayHandler: () => againMs(refused),
    maxReconnectAttempts: -1,
    // Passwords are changed on one server after the other, and a wrong one is put right.
    ignoreAuthErrorAbort: true,
    ignoreClusterUpdates: options.onlyNamed === true,
    ...(await authOf(options.auth)),
    ...(options.tls !== null && { tls: options.tls }),
  });
  void (async () => {
    for await (const status of nc.status()) {
      if (status.type === "reconnect") refused = 0;
      if (status.type !== "error" || refusalOf(status.error) === null) continue;
      refused += 1;
      options.warn?.(refusedBy(nc.getServer(), status.error));
    }
  })();
  return nc;
}

const againMs = (refused: number): number =>
  Math.min(AGAIN_MS * 2 ** refused, AGAIN_MAX_MS) + Math.floor(Math.random() * AGAIN_MS);

function refusedBy(server: string, { message }: Error): LogError {
  return new LogError(
    "unreachable",
    `The server ${server} of the log does not let this node in (${message}), and it goes on trying. Either let that server take what LogUser and LogPassword, LogToken or LogCredentials in [general] say, or put those right and start Rialto again.`,
  );
}

async function authOf(auth: NatsAuth | null): Promise<ConnectionOptions> {
  if (auth === null) return {};
  if ("token" in auth) return { token: auth.token };
  if ("user" in auth) return { user: auth.user, pass: auth.password };
  const { credsAuthenticator, nkeyAuthenticator } = await import("@nats-io/transport-node");
  const bytes = await credentialsOf(auth.credentials);
  const text = Buffer.from(bytes).toString("utf8").trim();
  const isSeed = /^SU[A-Z2-7]{56}$/.test(text);
  return { authenticator: isSeed ? nkeyAuthenticator(Buffer.from(text)) : credsAuthenticator(bytes) };
}

async function credentialsOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LogError("unreachable", `The credentials for the servers of the log cannot be read: ${reason}.`);
  }
}

/**
 * What waiting does not help against: the node is not let in, or does not trust the certificate. Null: something else.
 */
export function refusalOf(error: unknown): "credentials" | "certificate" | null {
  if (!(error instanceof Error)) return null;
  if (["AuthorizationError", "UserAuthenticationExpiredError"].includes(error.name)) return "credentials";
  return "code" in error && typeof error.code === "string" && /CERT|SIGNATURE/.test(error.code) ? "certificate" : null;
}
