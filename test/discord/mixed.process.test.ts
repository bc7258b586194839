import { describeMixed } from "../hosted/mixed.ts";
import { discord } from "./town.ts";

describeMixed(discord, [["the session is lost", ({ town: { side } }) => side.server.sockets.invalidate(false)]]);
