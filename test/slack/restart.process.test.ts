import { describeRestart } from "../hosted/restart.ts";
import { slack } from "./town.ts";

describeRestart(slack);
