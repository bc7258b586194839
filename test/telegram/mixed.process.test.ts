import { describeMixed } from "../hosted/mixed.ts";
import { telegram } from "./town.ts";

describeMixed(telegram, [
  ["another program asks for what happens", ({ town: { side } }) => side.server.refuse("getUpdates", 409, CONFLICT)],
]);

const CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
