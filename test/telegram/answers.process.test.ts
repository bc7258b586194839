import { describeAnswers } from "../hosted/answers.ts";
import { telegram } from "./town.ts";

describeAnswers(telegram);
