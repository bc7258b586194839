import type { ClusterSettings } from "../config/config.ts";
import type { NatsServers } from "../log/nats/connect.ts";

/** The servers of a log that several machines have, as `[general]` names them. */
export const logServers = ({ servers, auth, isEncrypted, node }: ClusterSettings): NatsServers => ({
  servers,
  auth,
  node,
  tls: isEncrypted ? {} : null,
});
