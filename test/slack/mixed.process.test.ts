import { describeMixed } from "../hosted/mixed.ts";
import { slack } from "./town.ts";

describeMixed(slack, [
  ["the server asks for another connection", ({ side }) => side.server.sockets.disconnect("refresh_requested")],
  ["an address expires before it is used", ({ side }) => side.server.sockets.expireTickets()],
]);
