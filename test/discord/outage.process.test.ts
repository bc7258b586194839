import { describeOutage } from "../hosted/outage.ts";
import { discord } from "./town.ts";

describeOutage(discord);
