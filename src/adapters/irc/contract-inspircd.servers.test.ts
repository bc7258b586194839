import { startInspircd } from "../../../test/servers/irc/inspircd.ts";
import { contractAgainst } from "./contract.suite.ts";

// A client that sends 1000 commands faster than the server reads them is thrown out.
contractAgainst("inspircd", startInspircd, { burst: 900, tags: true });
