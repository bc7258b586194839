import { describeAnswers } from "../hosted/answers.ts";
import { mattermost } from "./town.ts";

describeAnswers(mattermost);
