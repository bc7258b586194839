import { describeMixed } from "../hosted/mixed.ts";
import { slack } from "./town.ts";

describeMixed(slack, [
  [
    "the server asks for another connection",
    ({ town: { side } }) => side.server.sockets.disconnect("refresh_requested"),
  ],
  ["an address expires before it is used", ({ town: { side } }) => side.server.sockets.expireTickets()],
]);
