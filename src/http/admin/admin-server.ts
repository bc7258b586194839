import type { Follower, Followers } from "../../admin/followers.ts";
import type { Address } from "../../lib/address.ts";
import type { Logger } from "../../logger.ts";
import { explainListenError, listenAt } from "../listen.ts";
import type { ServerShare } from "../server-share.ts";
import type { OwnNames } from "../own-host.ts";
import type { V1Door } from "../v1/index.ts";
import { compileGuard } from "../auth.ts";
import { addDashboard, DASHBOARD_PATHS, type DashboardPage } from "../web/dashboard.ts";
import { createServer, type HttpApi, type ServerOptions } from "../server.ts";
import { type AdminDeps, addAdminRoutes, addStatusPage, OPEN_ADMIN_PATHS } from "./routes.ts";
import { listenOnSocket, socketPath } from "./socket.ts";

export interface AdminOptions {
  readonly deps: AdminDeps;
  readonly followers: Followers;
  /** Absolute; the socket is made there. */
  readonly dataPath: string;
  /** A second way in, over TCP. */
  readonly listen: {
    readonly address: Address;
    readonly token: string | null;
    /** As `Doors.names`. */
    readonly names: () => OwnNames;
    /** What is below `/v1` there. */
    readonly v1: V1Door;
    /** The dashboard; null: the build made none, and the status is shown instead. */
    readonly pages: Pick<DashboardPage, "files" | "names"> | null;
  } | null;
  /** The socket needs no descriptors of it: those of its operators are kept for them. */
  readonly share: ServerShare;
  readonly logger: Logger;
}

export interface AdminServer {
  /** `http://host:port` of the second way in; null: there is none. */
  readonly url: string | null;
  /** Ends what is followed, finishes answers, removes the socket. */
  close(): Promise<void>;
}

const BODY_MAX = 64 * 1024;

/**
 * Opens the ways in for operators. A socket that cannot be made is an error in the log and no reason not to start; an
 * address that is taken is one: rejects with an error for people then, with nothing left open.
 */
export async function startAdmin({
  deps,
  followers,
  dataPath,
  listen,
  share,
  logger,
}: AdminOptions): Promise<AdminServer> {
  const onError = (error: unknown, path: string): void =>
    logger.error({ path, error: String(error) }, "a request of an operator failed: this is a bug");
  const open = async (by: Follower["by"], more: Partial<ServerOptions>): Promise<HttpApi> => {
    const http = await createServer({
      token: null,
      names: null,
      maxBodySize: BODY_MAX,
      share: { bodies: share.bodies },
      mediaTypes: "application/json",
      onError,
      ...more,
    });
    addAdminRoutes(http, deps, { by, guard: compileGuard(more.token ?? null) });
    return http;
  };
  const servers: HttpApi[] = [];
  const local = await open("socket", {});
  addStatusPage(local, deps);
  const remove = await listenLocally(local, dataPath, logger);
  servers.push(local);
  const close = async (): Promise<void> => {
    followers.endAll();
    remove();
    await Promise.all(servers.map((server) => server.close()));
  };
  if (listen === null) return { url: null, close };
  const { address, token, names, v1, pages } = listen;
  const remote = await open("address", {
    token,
    names,
    share,
    openPaths: OPEN_ADMIN_PATHS,
    // The pages behind a web server with TLS ask below `/v1` only.
    mayHaveTls: false,
    ...(pages !== null && { unguarded: DASHBOARD_PATHS }),
    tokenName: "general.AdminToken",
    v1,
  });
  if (pages === null) addStatusPage(remote, deps);
  else addDashboard(remote, { ...pages, onError });
  servers.push(remote);
  try {
    await listenAt(address, (host, port) => remote.app.listen({ host, port }));
  } catch (error) {
    await close();
    throw new Error(explainListenError(error), { cause: error });
  }
  const bound = remote.app.server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
  const host = address.host === "" ? "127.0.0.1" : address.host;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  logger.info({ url }, "the admin server listens");
  return { url, close };
}

/** Returns what removes the socket again. */
async function listenLocally({ app }: HttpApi, dataPath: string, logger: Logger): Promise<() => void> {
  try {
    return await listenOnSocket(dataPath, (path) => app.listen({ path }));
  } catch (error) {
    logger.error(
      { socket: socketPath(dataPath), why: explainListenError(error) },
      "the control socket cannot be created: `rialto status` and similar commands cannot find this program; everything else runs",
    );
    return () => undefined;
  }
}
