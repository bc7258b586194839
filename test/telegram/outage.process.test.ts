import { describeOutage } from "../hosted/outage.ts";
import { telegram } from "./town.ts";

describeOutage(telegram);
