import { describeLog } from "../log.suite.ts";
import { openForSuite } from "./scratch.suite.ts";

describeLog("the log in SQLite", openForSuite);
