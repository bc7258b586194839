import type { RegexRule } from "../config/config.ts";
import { compilePattern } from "./regex.ts";

/**
 * IgnoreNicks and IgnoreMessages: the first of the patterns that occurs in the text, null when none does. An empty
 * pattern counts for nothing, as in the reference; it would match everything.
 */
export function compileMatcher(sources: readonly string[]): Matcher {
  const rules = sources
    .filter((source) => source !== "")
    .map((source) => ({ source, pattern: compilePattern(source) }));
  return (text) => rules.find(({ pattern }) => pattern.test(text))?.source ?? null;
}

export type Matcher = (text: string) => string | null;

/** ReplaceMessages and ReplaceNicks: every rule in turn, each on what the one before it left. */
export function compileReplacements(rules: readonly RegexRule[]): (text: string) => string {
  const replacers = rules.map(([source, template]) => compilePattern(source).replacer(template));
  return (text) => replacers.reduce((result, replace) => replace(result), text);
}

export interface NickAndText {
  readonly nick: string;
  readonly text: string;
}

/**
 * ExtractNicks: [pattern on the nick, pattern on the text]. Where the nick matches, the first match in the text is cut
 * out and its capture group becomes the nick. A pattern without exactly one group does nothing. Source: the reference
 * §3.5.
 */
export function compileExtractions(rules: readonly RegexRule[]): (given: NickAndText) => NickAndText {
  const extractions = rules.map(([onNick, onText]) => extraction(onNick, onText));
  return (given) => extractions.reduce((result, extract) => extract(result), given);
}

function extraction(onNick: string, onText: string): (given: NickAndText) => NickAndText {
  const search = compilePattern(onNick);
  const extract = compilePattern(onText);
  if (extract.groups !== 1) return (given) => given;
  return (given) => {
    const match = search.test(given.nick) ? extract.first(given.text) : null;
    if (match === null) return given;
    const [whole = "", nick = ""] = match;
    // A function, because a string would be read as a template.
    return { nick, text: given.text.replace(whole, () => "") };
  };
}
