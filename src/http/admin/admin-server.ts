import type { AddressInfo } from "node:net";
import type { Followers } from "../../admin/followers.ts";
import { type Address, isLoopback } from "../../lib/address.ts";
import type { Logger } from "../../logger.ts";
import { problem } from "../api/problem.ts";
import { explainListenError, listenAt } from "../listen.ts";
import { createServer, type HttpApi, sendProblem, type ServerOptions } from "../server.ts";
import { type AdminDeps, addAdminRoutes, OPEN_ADMIN_PATHS } from "./routes.ts";
import { listenOnSocket, socketPath } from "./socket.ts";

export interface AdminOptions {
  readonly deps: AdminDeps;
  readonly followers: Followers;
  /** Absolute; the socket is made there. */
  readonly dataPath: string;
  /** A second way in, over TCP. */
  readonly listen: { readonly address: Address; readonly token: string | null } | null;
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
 * Opens the ways in for operators. A socket that cannot be made is an error in the log and no reason not to start; an address that is taken is
 * one: rejects with an error for people then, with nothing left open.
 */
export async function startAdmin({ deps, followers, dataPath, listen, logger }: AdminOptions): Promise<AdminServer> {
  const onError = (error: unknown, path: string): void =>
    logger.error({ path, error: String(error) }, "a request of an operator failed: this is a bug");
  const open = async (more: Partial<ServerOptions>): Promise<HttpApi> => {
    const http = await createServer({
      token: null,
      maxBodySize: BODY_MAX,
      mediaTypes: "application/json",
      onError,
      ...more,
    });
    addAdminRoutes(http.app, deps, http.release);
    return http;
  };
  const servers: HttpApi[] = [];
  const local = await open({});
  const remove = await listenLocally(local, dataPath, logger);
  servers.push(local);
  const close = async (): Promise<void> => {
    followers.endAll();
    remove();
    await Promise.all(servers.map((server) => server.close()));
  };
  if (listen === null) return { url: null, close };
  const { address, token } = listen;
  const remote = await open({ token, openPaths: OPEN_ADMIN_PATHS, tokenName: "general.AdminToken" });
  if (token === null) refuseStrangeHosts(remote);
  servers.push(remote);
  try {
    await listenAt(address, (host, port) => remote.app.listen({ host, port }));
  } catch (error) {
    await close();
    throw new Error(explainListenError(error), { cause: error });
  }
  const { port } = remote.app.server.address() as AddressInfo;
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
      "the control socket cannot be made: `rialto status` and its like will not find this program, and all else runs",
    );
    return () => undefined;
  }
}

/**
 * Without a token the address is for programs of this machine. A web page whose name was made to lead here (DNS rebinding) still says its own
 * name in `Host`, and is no foreign origin by that.
 */
function refuseStrangeHosts({ app }: HttpApi): void {
  app.addHook("onRequest", (request, reply, done) => {
    const host = URL.parse(`http://${request.headers.host ?? ""}`)?.hostname.replaceAll(/[[\]]/g, "") ?? "";
    if (isLoopback(host)) return done();
    sendProblem(reply, problem(403, "without an AdminToken only this machine may ask, by 127.0.0.1 or localhost"));
  });
}
