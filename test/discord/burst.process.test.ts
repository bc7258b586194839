import { describeBurst } from "../hosted/burst.ts";
import { discord } from "./town.ts";

describeBurst(discord);
