import { startEjabberd } from "../../../test/servers/xmpp/ejabberd.ts";
import { contractAgainst } from "./contract.suite.ts";

// The bound of what is taken in is tested on Prosody, which is several times as fast.
contractAgainst("ejabberdctl", startEjabberd, 600);
