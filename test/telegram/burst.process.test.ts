import { describeBurst } from "../hosted/burst.ts";
import { telegram } from "./town.ts";

describeBurst(telegram);
