import type { Block } from "../contract/content.ts";
import { measure } from "./length.ts";
import { isLinkable } from "./links.ts";
import { escapeSlack, textOf } from "./slack-tokens.ts";
import { type SlackWriting, urlParts, writeSlack } from "./slack-write.ts";

/** Code points of one message; Slack makes several of a longer text. */
export const SLACK_TEXT_MAX = 4_000;

/**
 * The tree as mrkdwn, for where Slack takes no blocks, and for notifications. It has no way to write a sign of a mark
 * as text: an invisible space is behind those that would begin one. Backticks of others stay, and may look like code.
 * What is text there calls nobody. A mention is one when its user is an id of Slack, `@here`, `@channel` or
 * `@everyone`; any other is its text.
 */
export function renderSlack(blocks: readonly Block[]): string {
  return writeSlack(blocks, MRKDWN);
}

/** Words of others as mrkdwn. */
export function protectSlack(words: string): string {
  return renderSlack([{ t: "para", of: [textOf(words)] }]);
}

/** Code points of the tree as mrkdwn, as Slack counts them. */
export function slackTextLength(blocks: readonly Block[]): number {
  return measure(renderSlack(blocks), "codepoints");
}

/** An id of somebody. */
export const SLACK_USER = /^[UW][A-Z0-9]{1,40}$/;
const RANGE = /^@(here|channel|everyone)$/;

/** Of no width. The first one is no white space and no letter, the second one is white space. */
const APART = "\u200b";
const BLANK = "\ufeff";

const MRKDWN: SlackWriting = {
  apart: APART,
  parted: "",
  quote: "&gt;",
  text: (text) =>
    urlParts(text)
      .map(({ isUrl, part }) => (isUrl ? `<${address(part)}>` : quiet(part)))
      .join(""),
  code: (text) => (text.includes("`") ? null : escapeSlack(text)),
  pre: (text) => escapeSlack(withoutFences(text)),
  // One of the same name here may be another picture.
  emoji: () => null,
  mention: ({ user }) => {
    if (user === null) return null;
    const [, range] = RANGE.exec(user) ?? [];
    if (range !== undefined) return `<!${range}>`;
    return SLACK_USER.test(user) ? `<@${user}>` : null;
  },
  underline: (written) => written,
  link: (href, words) => {
    if (!isLinkable(href) || /[\n|]/.test(words)) return null;
    return words === "" ? `<${address(href)}>` : `<${address(href)}|${escapeSlack(words)}>`;
  },
  lang: null,
  blocks: false,
  begins: /^&gt;/,
};

const address = (href: string): string => escapeSlack(href).replaceAll("|", "%7C");

const withoutFences = (text: string): string => text.replaceAll(/``(?=`)/g, `$&${APART}`);

function quiet(text: string): string {
  return escapeSlack(withoutFences(text))
    .replaceAll(/(?<![A-Za-z\d])[*_~](?!\s)/g, `$&${BLANK}`)
    .replaceAll(/:(?=[\p{L}\p{N}_+'-]{1,100}:)/gu, `$&${APART}`);
}
