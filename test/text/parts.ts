import { renderMessages as renderDiscord } from "../../src/adapters/discord/render.ts";
import { type DiscordSent, NOTHING_SENT as NO_DISCORD } from "../../src/adapters/discord/progress.ts";
import { renderPost as renderIrc } from "../../src/adapters/irc/render.ts";
import { charsetOf } from "../../src/adapters/irc/wire/charset.ts";
import { renderPost as renderMatrix } from "../../src/adapters/matrix/render.ts";
import { renderPost as renderMattermost } from "../../src/adapters/mattermost/render.ts";
import { NOTHING_SENT as NO_SLACK, type SlackSent } from "../../src/adapters/slack/progress.ts";
import { renderMessages as renderSlack, writtenAs } from "../../src/adapters/slack/render.ts";
import { NOTHING_SENT as NO_TELEGRAM, type TelegramReach } from "../../src/adapters/telegram/progress.ts";
import { renderPost as renderTelegram } from "../../src/adapters/telegram/render.ts";
import { renderParts as renderWeb } from "../../src/adapters/web/render.ts";
import { renderPost as renderXmpp } from "../../src/adapters/xmpp/render.ts";
import type { Block, Inline } from "../../src/contract/content.ts";
import type { Progress } from "../../src/contract/ids.ts";
import type { PostDraft } from "../../src/contract/ops.ts";
import { parse } from "../../src/content/formats.ts";
import { plainText } from "../../src/content/plain.ts";
import { slackTree } from "../../src/content/slack-blocks.ts";
import { telegramSource } from "../../src/content/telegram-read.ts";

/** One long text as each network is given it, in parts, and as its people read it there. */

/** One message. */
interface Part {
  /** How much it takes, in the network's own measure. */
  readonly size: number;
  readonly blocks: readonly Block[];
  /** How often Tom is notified by it. */
  readonly pings: number;
}

export interface Reading {
  /** Of one message. */
  readonly max: number;
  readonly parts: (draft: PostDraft) => readonly Part[];
  /** What of the formatting people see there. */
  readonly shows: ReadonlySet<string>;
}

const points = (text: string): number => Array.from(text).length;
const countIn = (text: string, pattern: RegExp): number => Array.from(text.matchAll(pattern)).length;
const STYLES = ["bold", "italic", "strike", "code"];
const ALL = [...STYLES, "spoiler", "link", "pre", "quote"];

const files = [] as const;

const NOWHERE = { user: () => false, role: () => false, channel: () => false };
const discordParts = (draft: PostDraft, sent: DiscordSent) => {
  const who = { people: new Map([["tom", "1"]]), here: NOWHERE, emoji: () => null };
  return renderDiscord(draft, { textMax: 200, prefix: false, lead: "", ...who, files, sent }).parts;
};
const slackParts = (draft: PostDraft, sent: SlackSent) => {
  const who = { people: new Map([["tom", "U1"]]), hasEmoji: () => false };
  return renderSlack({ ...draft, textMax: 200 }, { named: "none", exact: false, ...who, files, sent }).parts;
};
const telegramParts = (draft: PostDraft, sent: TelegramReach) => {
  const idOf = (name: string): string | null => (name === "tom" ? "7" : null);
  return renderTelegram({ ...draft, textMax: 200 }, { idOf, files, uploadMax: 1, sent }).parts;
};
const xmppParts = (draft: PostDraft, resume: Progress | null) => renderXmpp(draft, { textMax: 200, resume });

/** Whether a try after each of the messages begins with the next one, and says the same. */
export const RESUMED: Readonly<Record<string, (draft: PostDraft) => readonly (readonly [unknown, unknown])[]>> = {
  discord: (draft) => resumed(discordParts(draft, NO_DISCORD), ({ sent }) => sent && discordParts(draft, sent)),
  slack: (draft) => resumed(slackParts(draft, NO_SLACK), ({ sent }) => sent && slackParts(draft, sent)),
  telegram: (draft) => resumed(telegramParts(draft, NO_TELEGRAM), ({ sent }) => telegramParts(draft, sent)),
  xmpp: (draft) => resumed(xmppParts(draft, null), ({ end }) => xmppParts(draft, end)),
};

function resumed<T>(
  all: readonly T[],
  after: (part: T) => readonly T[] | null,
): readonly (readonly [T[], readonly T[]])[] {
  return all.flatMap((part, at) => {
    const rest = at === all.length - 1 ? null : after(part);
    return rest === null ? [] : [[all.slice(at + 1), rest] as const];
  });
}

export const NETWORKS: Readonly<Record<string, Reading>> = {
  discord: {
    max: 200,
    shows: new Set(ALL),
    parts: (draft) => {
      return discordParts(draft, NO_DISCORD).map(({ content }) => {
        const named = content.replaceAll("<@1>", "@Tom");
        return { size: content.length, blocks: parse("discord", named), pings: countIn(content, /<@1>/g) };
      });
    },
  },
  mattermost: {
    max: 200,
    shows: new Set([...STYLES, "link", "pre", "quote"]),
    parts: (draft) =>
      renderMattermost(draft, { textMax: 200, prefix: false, names: new Set(["tom"]), files }).parts.map(
        ({ message }) => ({
          size: points(message),
          blocks: parse("mattermost", message),
          pings: countIn(message, /@tom/g),
        }),
      ),
  },
  slack: {
    max: 200,
    shows: new Set([...STYLES, "link", "pre", "quote"]),
    parts: (draft) => {
      return slackParts(draft, NO_SLACK).map(({ blocks }) => {
        const { text, blocks: sent } = writtenAs(blocks, "id", () => false);
        const names = { user: () => "Tom", channel: () => null, group: () => null };
        const tree = slackTree({ text, blocks: sent, attachments: [] }, names);
        return { size: points(text), blocks: tree, pings: countIn(JSON.stringify(sent), /"user_id":"U1"/g) };
      });
    },
  },
  telegram: {
    max: 200,
    shows: new Set(ALL),
    parts: (draft) => {
      return telegramParts(draft, NO_TELEGRAM).map(({ said }) => {
        const { text, entities } = said ?? { text: "", entities: [] };
        const source = telegramSource(text, entities);
        return {
          size: points(text),
          blocks: parse(source.format, source.text),
          pings: entities.filter(({ type }) => type === "text_mention").length,
        };
      });
    },
  },
  matrix: {
    max: 16_384,
    shows: new Set(ALL),
    parts: (draft) => {
      const find = (name: string): string | null => (name.toLowerCase() === "tom" ? "@tom:a" : null);
      const options = { textIdentity: { is: "own" }, html: true, mayPing: draft.mayPing, find, resume: null } as const;
      return renderMatrix(draft, options).parts.map((part) => {
        const content = part.is === "text" ? part.content : {};
        const [body, html] = [String(content["body"]), content["formatted_body"]];
        return {
          size: Buffer.byteLength(body),
          blocks: typeof html === "string" ? parse("html", html) : parse("plain", body),
          // Who is named several times in a message is notified once.
          pings: JSON.stringify(content["m.mentions"]).includes("@tom:a") ? countIn(String(html), /%40tom%3Aa/g) : 0,
        };
      });
    },
  },
  irc: {
    max: 200,
    shows: new Set([...STYLES, "spoiler"]),
    parts: (draft) => {
      const charset = charsetOf("utf-8");
      if (charset === null) throw new Error("there is no UTF-8");
      const lengths = { messageLines: 100_000, lineBytes: 200, textBytes: 200 };
      const options = { colorNicks: false, stripMarkdown: false, charset, resume: null, rest: null };
      return renderIrc(draft, { ...lengths, ...options }).lines.map(({ text }) => ({
        size: Buffer.byteLength(text),
        blocks: parse("irc", text),
        pings: 0,
      }));
    },
  },
  xmpp: {
    max: 200,
    shows: new Set([...STYLES, "pre", "quote"]),
    parts: (draft) =>
      xmppParts(draft, null).map((part) => {
        const { text, unstyled } = part.is === "text" ? part : { text: "", unstyled: true };
        return { size: points(text), blocks: parse(unstyled ? "plain" : "styling", text), pings: 0 };
      }),
  },
  web: {
    max: 200,
    shows: new Set(ALL),
    parts: ({ body }) =>
      renderWeb({ body, textMax: 200 }, 200, []).map(({ blocks }) => ({
        size: points(plainText(blocks)),
        blocks,
        pings: 0,
      })),
  },
};

/** Each sign that is seen, with the formatting that it has: `a bold italic`. */
export function signsOf(blocks: readonly Block[], shows: ReadonlySet<string>): readonly string[] {
  return blocks.flatMap((block) => blockSigns(block, shows, []));
}

function blockSigns(block: Block, shows: ReadonlySet<string>, styles: readonly string[]): readonly string[] {
  switch (block.t) {
    case "para":
    case "heading":
      return block.of.flatMap((inline) => inlineSigns(inline, shows, styles));
    case "pre":
      return signs(block.text, [...styles, ...(shows.has("pre") ? ["pre"] : codeOf(shows))]);
    case "quote": {
      if (shows.has("quote")) return block.of.flatMap((inner) => blockSigns(inner, shows, [...styles, "quote"]));
      return block.of.flatMap((inner) => blockSigns(inner, shows, styles));
    }
    case "list":
      return block.items.flat().flatMap((inner) => blockSigns(inner, shows, styles));
  }
}

function inlineSigns(inline: Inline, shows: ReadonlySet<string>, styles: readonly string[]): readonly string[] {
  if (!("of" in inline)) return signs(inline.text, inline.t === "code" ? [...styles, ...codeOf(shows)] : styles);
  const style = inline.t === "link" ? `link ${inline.href}` : inline.t;
  const own = shows.has(inline.t) ? [style] : [];
  const words = inline.of.flatMap((inner) => inlineSigns(inner, shows, [...styles, ...own]));
  return inline.t === "link" && own.length === 0 ? [...words, ...signs(` (${inline.href})`, styles)] : words;
}

const codeOf = (shows: ReadonlySet<string>): readonly string[] => (shows.has("code") ? ["code"] : []);

const signs = (text: string, styles: readonly string[]): readonly string[] => {
  const shown = [...new Set(styles)].toSorted().join(" ");
  return Array.from(text.toLowerCase().replaceAll(/[\s\p{C}>]/gu, ""), (sign) => `${sign} ${shown}`);
};
