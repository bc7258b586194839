import { describeMixed } from "../hosted/mixed.ts";
import { mattermost } from "./town.ts";

describeMixed(mattermost, [["the stream is lost", ({ town: { side } }) => side.server.world.hub.forget()]]);
