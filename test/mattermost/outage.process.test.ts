import { describeOutage } from "../hosted/outage.ts";
import { mattermost } from "./town.ts";

describeOutage(mattermost);
