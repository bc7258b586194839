import { describeStream } from "../hosted/stream.ts";
import { mattermost } from "./town.ts";

describeStream(mattermost, [
  [
    "the stream cannot be taken up again",
    ({ server }) => {
      server.world.hub.refuseResume = true;
      server.sockets.terminate();
    },
  ],
]);
