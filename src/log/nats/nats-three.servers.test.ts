import { needs } from "../../../test/servers/installed.ts";
import { describeCarrier } from "../log.suite.ts";
import { describeOnServers } from "./nats.suite.ts";

// How many servers carry a commit makes no difference once it is stored: nats.servers.test.ts tries the rest on one.
needs(["nats-server"], () => describeOnServers(describeCarrier, 3, "nats-server"));
