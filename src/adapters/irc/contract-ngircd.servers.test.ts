import { startNgircd } from "../../../test/servers/irc/ngircd.ts";
import { contractAgainst } from "./contract.suite.ts";

contractAgainst("ngircd", startNgircd, { burst: 3000, tags: false });
