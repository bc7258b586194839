import { describeStream } from "../hosted/stream.ts";
import { discord } from "./town.ts";

describeStream(
  discord,
  [
    [
      "the session cannot be taken up again",
      ({ server }) => {
        server.world.hub.refuseResume = true;
        server.sockets.terminate();
      },
    ],
    ["the server asks for another connection", ({ server }) => server.sockets.askReconnect()],
    ["the session has become invalid, and may be taken up", ({ server }) => server.sockets.invalidate(true)],
    ["the session has become invalid", ({ server }) => server.sockets.invalidate(false)],
    ["the server closes with an error of its own", ({ server }) => server.sockets.close(4000, "Unknown error.")],
    [
      "each event comes twice",
      ({ server }) => {
        server.world.hub.times = 2;
      },
    ],
  ],
  {
    hasten: ({ server }) => {
      server.sockets.heartbeatMs = 500;
      server.sockets.askReconnect();
    },
    mute: ({ server }) => server.sockets.mute(),
    connections: ({ server }) => server.sockets.logins.length,
  },
);
