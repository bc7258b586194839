import { describeBurst } from "../hosted/burst.ts";
import { slack } from "./town.ts";

describeBurst(slack);
