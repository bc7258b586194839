import { withoutCodes } from "../../content/irc.ts";
import { quote as quoteText } from "../kit/ends.ts";

/** A text of a server or of somebody on it, for people: on one line, cut, and without formatting codes. */
export const quote = (text: string): string => quoteText(withoutCodes(text));
