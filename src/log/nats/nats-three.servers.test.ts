import { needs } from "../../../test/servers/installed.ts";
import { describeOnServers } from "./nats.suite.ts";

needs(["nats-server"], () => describeOnServers(3, "nats-server"));
