import { describeRestart } from "../hosted/restart.ts";
import { mattermost } from "./town.ts";

describeRestart(mattermost);
