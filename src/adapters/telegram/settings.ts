import type { SettingIssue, SettingsOf, SettingsSchema } from "../../contract/manifest.ts";
import { proxySetting } from "../../contract/proxy.ts";

const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;

/** Where Telegram's own Bot API is. */
const TELEGRAM_API = "https://api.telegram.org";

export const schema = {
  type: "object",
  properties: {
    Token: {
      type: "string",
      description: "Token of the bot, such as `123456789:AAF-…`: from @BotFather, who makes bots by `/newbot`.",
      default: "",
      secret: true,
    },
    Proxy: proxySetting,
    ApiURL: {
      type: "string",
      description: "Where the Bot API is: for a Bot API server of your own, which also takes and gives larger files.",
      default: TELEGRAM_API,
      examples: [TELEGRAM_API],
      zeroIsDefault: true,
      protects: true,
      rule: {
        pattern: String.raw`^(?:|https?://[^\s/?#@]+(?:/[^\s?#]*)?)$`,
        hint: `must be the address of a server of the Bot API, such as ${TELEGRAM_API}`,
      },
    },
    UseFirstName: flag("Shows people by their first name instead of their username."),
    UseFullName: flag("Shows people by their first and last name instead of their username."),
    MessageFormat: {
      enum: ["", "HTML", "HTMLNick", "Markdown", "MarkdownV2"],
      description:
        "How `RemoteNickFormat` is written: with `HTML` or `HTMLNick`, as in `<b>{NICK}</b>: `, with `Markdown` or `MarkdownV2` of the Bot API, as in `*{NICK}*: `. Empty: without marks. Texts need no marks, because formatting crosses as it is.",
      default: "",
    },
    DisableWebPagePreview: flag("Shows no preview of the page that a message links to."),
    MediaConvertWebPToPNG: flag(
      "Makes stickers that stand still PNG instead of WebP, which not every program shows. Needs the package `sharp` beside Rialto.",
    ),
    MediaConvertTgs: {
      type: "string",
      description:
        "`png`: shows stickers that move as a still picture, and not only in words. Needs the package `canvaskit-wasm` beside Rialto. `webp`, from configurations of matterbridge, means the same: the picture is PNG.",
      default: "",
      rule: { pattern: "^(?:|png|webp)$", hint: "must be png, or empty" },
    },
  },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type TelegramSettings = SettingsOf<typeof schema>;

/** Where the Bot API is: what stands before `/bot<Token>/`. */
export const apiOf = ({ ApiURL }: Pick<TelegramSettings, "ApiURL">): URL => new URL(ApiURL.replace(/\/+$/u, ""));

/** Telegram's own servers, which limit files more than one's own does. */
export const isTelegramItself = ({ ApiURL }: Pick<TelegramSettings, "ApiURL">): boolean =>
  URL.canParse(ApiURL) && new URL(ApiURL).hostname === new URL(TELEGRAM_API).hostname;

/** A server on this machine, whose files lie on its disk. */
export const isHere = ({ ApiURL }: Pick<TelegramSettings, "ApiURL">): boolean => LOCAL.test(ApiURL);

const LOCAL = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|\/|$)/u;

/**
 * What the settings say together; the schema has checked each by itself. `hasSharp`, `hasCanvasKit`: whether these are
 * installed.
 */
export function checkSettings(
  settings: TelegramSettings,
  hasSharp: () => boolean,
  hasCanvasKit: () => boolean,
): readonly SettingIssue[] {
  const { Token, ApiURL, UseFirstName, UseFullName } = settings;
  const issues: SettingIssue[] = [...checkToken(Token)];
  if (!URL.canParse(ApiURL)) issues.push(error("ApiURL", "is not an address"));
  else if (ApiURL.startsWith("http:") && !isHere(settings))
    issues.push(warning("ApiURL", "sends the token and all messages unencrypted; use https"));
  if (UseFirstName && UseFullName) issues.push(warning("UseFirstName", "has no effect with UseFullName"));
  if (settings.MediaConvertWebPToPNG && !hasSharp()) issues.push(warning("MediaConvertWebPToPNG", without("sharp")));
  if (settings.MediaConvertTgs !== "" && !hasCanvasKit())
    issues.push(warning("MediaConvertTgs", without("canvaskit-wasm")));
  return issues;
}

const without = (name: string): string =>
  `has no effect without the package ${name}: install it beside Rialto (npm install -g ${name}; in a checkout npm install --no-save ${name}), and restart`;

const WHERE = "write /mybots to @BotFather, choose the bot, then API Token";

function checkToken(Token: string): readonly SettingIssue[] {
  if (Token === "")
    return [error("Token", "is missing; write /newbot to @BotFather, who makes a bot and says its token")];
  if (TOKEN.test(Token)) return [];
  if (/^bot\d+:/iu.test(Token)) return [error("Token", `begins with the number of the bot, without "bot" before it`)];
  return [error("Token", `is no bot's token, such as 123456789:AAF-…; copy it again: ${WHERE}`)];
}

const TOKEN = /^\d{1,20}:[\w-]{10,200}$/u;

const error = (setting: string, message: string): SettingIssue => ({ severity: "error", setting, message });
const warning = (setting: string, message: string): SettingIssue => ({ severity: "warning", setting, message });
