import { describeRestart } from "../hosted/restart.ts";
import { discord } from "./town.ts";

describeRestart(discord);
