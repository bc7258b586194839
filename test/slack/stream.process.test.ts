import { describeStream } from "../hosted/stream.ts";
import { slack } from "./town.ts";

describeStream(slack, [
  ["the server warns that it ends the connection", ({ server }) => server.sockets.disconnect("warning")],
  ["the server asks for another connection", ({ server }) => server.sockets.disconnect("refresh_requested")],
  [
    "the server asks for another connection, and gives the old one no time",
    ({ server }) => {
      server.sockets.graceMs = 0;
      server.sockets.disconnect("refresh_requested");
    },
  ],
  [
    "the connection breaks, and the address of the next one has expired",
    ({ server }) => {
      server.faults.answer({ path: "/link/" }, { status: 404 });
      server.sockets.terminate();
    },
  ],
  [
    "each event comes twice",
    ({ server }) => {
      server.hub.times = 2;
    },
  ],
  [
    "no acknowledgement is looked at",
    ({ server }) => {
      server.hub.ackMs = 100;
      server.hub.retryMs = [100, 100, 100];
      server.hub.ignoreAcks = true;
    },
  ],
]);
