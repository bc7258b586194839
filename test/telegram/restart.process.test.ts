import { describeRestart } from "../hosted/restart.ts";
import { telegram } from "./town.ts";

describeRestart(telegram);
