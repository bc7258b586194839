import type { Account, PresentationSettings } from "../config/config.ts";
import { excerpt } from "../content/length.ts";
import type { About } from "./codec.ts";
import { nameLine } from "./fallback.ts";

/** The form that readers of the API know from the reference. */
const STANDARD = "{MESSAGE} (re @{QUOTENICK}: {QUOTEMESSAGE})";
const WITHOUT_WORDS = "{MESSAGE} (re @{QUOTENICK})";

type QuoteSettings = Pick<
  PresentationSettings,
  "preserveThreading" | "quoteDisable" | "quoteFormat" | "quoteLengthLimit"
>;

/**
 * The text of a reply for a reader of the API who cannot see what it answers. The reference had the settings at the
 * account that replies come from, so they count there as well: the format where the reader has none, and the smaller
 * limit. `write`: plain words as the reader's format has them.
 */
export function replyText(
  text: string,
  about: About | null,
  { reader, source }: { readonly reader: QuoteSettings; readonly source: Account | undefined },
  write: (plain: string) => string,
): string {
  const name = about?.is === "reply" ? nameLine(about.name) : "";
  const from = source?.presentation ?? reader;
  // What a program posts is passed on as it is.
  if (source?.protocol === "api") return text;
  if (about === null || name === "" || !reader.preserveThreading || reader.quoteDisable || from.quoteDisable)
    return text;
  const quote = excerpt(about.excerpt, Math.min(reader.quoteLengthLimit, from.quoteLengthLimit));
  const format = reader.quoteFormat || from.quoteFormat || (quote === "" ? WITHOUT_WORDS : STANDARD);
  const whole = format.includes("{MESSAGE}") ? format : `${format}{MESSAGE}`;
  return whole
    .split(/(\{MESSAGE\})/u)
    .map((part) => (part === "{MESSAGE}" ? text : write(filled(part, name, quote))))
    .join("")
    .trim();
}

/** What the placeholders stand for is used as it is. */
const filled = (part: string, name: string, quote: string): string =>
  part.replaceAll(/\{QUOTE(NICK|MESSAGE)\}/gu, (_all, of: string) => (of === "NICK" ? name : quote));
