import { LiveStatus } from "../admin/live.ts";
import { randomBytes } from "node:crypto";
import type { Logins } from "../access/logins.ts";
import { ProxiedPeople } from "../access/proxied.ts";
import { Sessions } from "../access/sessions.ts";
import type { Tokens } from "../access/tokens.ts";
import type { HistoryView } from "../admin/views.ts";
import type { GuestOffice } from "../http/admin/guest-office.ts";
import type { AdminDeps } from "../http/admin/routes.ts";
import type { AccessDeps } from "../http/admin/v1/access-deps.ts";
import { OperatorDoorman } from "../http/admin/v1/doorman.ts";
import { openAdminV1 } from "../http/admin/v1/index.ts";
import { isProxied, remoteUser } from "../http/admin/v1/remote-user.ts";
import { cookieKind, secretsIn } from "../http/admin/v1/session-deps.ts";
import type { OwnNames } from "../http/own-host.ts";
import type { V1Host, V1Service } from "../http/v1/index.ts";
import { ConnectDesk } from "./connect-desk.ts";
import { Trials, type TrialsOptions } from "./trials.ts";
import { ConfigDesk, type ConfigDeskOptions } from "./config-desk.ts";
import type { Clock } from "../contract/host.ts";
import type { Log } from "../log/log.ts";
import type { Logger } from "../logger.ts";

/** What `/v1` of the admin server is made of. */
export interface AdminV1Sources {
  readonly operator: AdminDeps;
  /** Rejects with a LogError. */
  readonly history: () => Promise<HistoryView>;
  /** `AdminToken`; null: there is none. */
  readonly token: string | null;
  /** Links to sign in with that were printed. */
  readonly logins: Logins;
  /** All of the program's. Rejects with a LogError. */
  readonly tokens: () => Promise<Tokens>;
  readonly log: Pick<Log, "mark" | "unmark" | "marks">;
  /** As `Doors.names`. */
  readonly names: () => OwnNames;
  /** The origin of DashboardURL; null: there is none. */
  readonly publicOrigin: () => string | null;
  /** Addresses of web servers that say in `Remote-User` whom they have signed in. */
  readonly proxies: ReadonlySet<string>;
  /** Of the address. */
  readonly port: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config: ConfigDeskOptions;
  /** How their sessions are now. */
  readonly accounts: TrialsOptions["accounts"];
  readonly rooms: TrialsOptions["rooms"];
  readonly access: AccessDeps;
  readonly guests: GuestOffice;
}

/** Loaded at the first request: reads what it needs, and serves. Rejects with a LogError. */
export async function openOperatorApi(sources: AdminV1Sources, host: V1Host): Promise<V1Service> {
  const { operator, history, token, logins, names, publicOrigin, port, log, clock, logger } = sources;
  const tokens = await sources.tokens();
  const sessions = await Sessions.open({ log, clock, bytes: randomBytes, logger });
  const proxied = new ProxiedPeople(clock);
  const cookie = () => cookieKind(port(), publicOrigin());
  const doorman = new OperatorDoorman({
    token,
    names,
    publicOrigin,
    verify: (text) => tokens.verify(text),
    session: (headers) => {
      for (const secret of secretsIn(headers, cookie())) {
        const access = sessions.verify(secret);
        if (access !== null) return access;
      }
      return null;
    },
    isProxied: (knock) => isProxied(knock, sources.proxies),
    proxied: (knock) => {
      const user = remoteUser(knock, sources.proxies);
      return user === null ? null : proxied.come(user, knock.headers["user-agent"] ?? "");
    },
  });
  const live = new LiveStatus({
    status: operator.status,
    clock,
    onError: (error) => host.onError(error, "the status for pages"),
  });
  const { running } = sources.config;
  const config = new ConfigDesk(sources.config);
  const reveal = async (texts: readonly string[]) => await config.reveal(texts);
  const trials = new Trials({
    running,
    accounts: sources.accounts,
    rooms: sources.rooms,
    reveal,
    clock,
    random: Math.random,
  });
  return openAdminV1({
    deps: {
      operator,
      session: { logins, sessions, proxied, cookie },
      access: sources.access,
      config,
      connect: new ConnectDesk(running, config, trials),
      guests: sources.guests,
      now: { live, clock, history },
    },
    doorman,
    monoMs: () => clock.monoMs(),
    host,
    close: () => {
      trials.close();
      config.close();
      return Promise.resolve(sessions.close());
    },
  });
}
