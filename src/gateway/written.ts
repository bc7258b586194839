import type { Account } from "../config/config.ts";
import { parse, render } from "../content/formats.ts";
import { plainText } from "../content/plain.ts";
import type { TextFormat } from "../contract/api-v1.ts";
import type { Source } from "../contract/content.ts";
import { textFormat } from "./posted.ts";

/** A text as the message carries it, and as it was written where that is another format than the account's. */
export interface Written {
  readonly text: string;
  readonly source: Source | null;
}

/** Clients of `/api` read the text of a message in the format of the account that posted it. */
export function written(text: string, format: TextFormat, account: Account): Written {
  const own = textFormat(account);
  if (format === own) return { text, source: null };
  const blocks = parse(format, text);
  const shown = own === "plain" ? plainText(blocks) : render("markdown", blocks);
  return { text: shown, source: { format, text } };
}
