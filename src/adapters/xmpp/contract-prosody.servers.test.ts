import { startProsody } from "../../../test/servers/xmpp/prosody.ts";
import { contractAgainst } from "./contract.suite.ts";

contractAgainst("prosody", startProsody, 900);
