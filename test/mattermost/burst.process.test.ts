import { describeBurst } from "../hosted/burst.ts";
import { mattermost } from "./town.ts";

describeBurst(mattermost);
