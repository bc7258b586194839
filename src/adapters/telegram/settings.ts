import type { SettingIssue, SettingsOf, SettingsSchema } from "../../contract/manifest.ts";

const flag = (description: string) => ({ type: "boolean", description, default: false }) as const;

/** Where Telegram's own API is. */
export const TELEGRAM_API = "https://api.telegram.org";

export const schema = {
  type: "object",
  properties: {
    Token: {
      type: "string",
      description: "Token of the bot, such as `123456789:AA…`: from @BotFather, by its command /newbot.",
      default: "",
      secret: true,
    },
    ApiURL: {
      type: "string",
      description: "Where Telegram's Bot API is: for a Bot API server of your own, which also takes larger files.",
      default: TELEGRAM_API,
      examples: [TELEGRAM_API],
      zeroIsDefault: true,
      protects: true,
      rule: {
        pattern: String.raw`^(?:|https?://[^\s/?#@]+(?:/[^\s?#]*)?)$`,
        hint: `must be the address of a Bot API server, such as ${TELEGRAM_API}`,
      },
    },
    UseFirstName: flag("Shows people by their first name instead of their username."),
    UseFullName: flag("Shows people by their first and last name instead of their username."),
    DisableWebPagePreview: flag("Shows no previews of the pages that messages link to."),
  },
} as const satisfies SettingsSchema;

/** The settings of an account as its session gets them. */
export type TelegramSettings = SettingsOf<typeof schema>;

/** What the settings say together; the schema has checked each by itself. */
export function checkSettings({ Token }: TelegramSettings): readonly SettingIssue[] {
  return Token === "" ? [{ severity: "error", setting: "Token", message: "is missing" }] : [];
}
