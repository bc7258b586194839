import { describeMixed } from "../hosted/mixed.ts";
import { discord } from "./town.ts";

describeMixed(discord, [["the session is lost", ({ side }) => side.server.sockets.invalidate(false)]]);
