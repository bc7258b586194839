import { needs } from "../../../test/servers/installed.ts";
import { describeLog } from "../log.suite.ts";
import { describeOnServers } from "./nats.suite.ts";

// As old as Rialto takes it; the other tests have a new one.
needs(["nats-server of stable"], () => describeOnServers(describeLog, 1, "nats-server of stable"));
