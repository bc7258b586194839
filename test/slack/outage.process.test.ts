import { describeOutage } from "../hosted/outage.ts";
import { slack } from "./town.ts";

describeOutage(slack);
