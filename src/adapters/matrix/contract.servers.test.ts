import { contractAs } from "./contract.suite.ts";

contractAs("login");
