/**
 * What people write and see in the network's clients, as far as tests need it. It shares nothing with the program's
 * own reading of Markdown.
 */

/** A text as somebody has to type it so that it is shown as it is. */
export function typed(text: string): string {
  return text
    .replaceAll(/\\(?!\w)|[`*_~[\]#+>|]/gu, String.raw`\$&`)
    .replaceAll("&", "&amp;")
    .replaceAll(/^(\s*)(?=-)/gmu, "$1\\")
    .replaceAll(/^(\s*\d+)(?=[.)]\s)/gmu, "$1\\");
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Of no width; what writes for people puts it where a sign would mean something. */
const APART = "\u200b";

const SHOWN = new RegExp(
  [
    // A backslash before a letter is one: as in names of shared folders.
    "\\\\(?<sign>[`*{}\\[\\]()#+\\-.!_>|~]|\\\\(?!\\w))",
    String.raw`&(?<entity>amp|lt|gt|quot);`,
    String.raw`<(?<address>https?:\/\/[^\s<>]+)>`,
    `(?<part>[@:\\]<~]|^)${APART}`,
  ].join("|"),
  "gmu",
);

/** A text of the network as a person sees it. */
export function seen(message: string): string {
  return message.replaceAll(SHOWN, (whole: string, ...rest: unknown[]) => {
    const { sign, entity, address, part } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    return sign ?? ENTITIES[entity ?? ""] ?? address ?? part ?? whole;
  });
}

/** A name such as `<Bob> ` may stand before the words, which are emphasized. */
const ACTION = /^((?:&lt;[^\n]{1,80}?> )?)([*_])(?![*_\s])(.*[^*_\s\\])\2$/su;

/** All of it is emphasized, as the network shows what somebody does. */
export function actionIn(message: string): string | null {
  const [, name = "", , words = null] = ACTION.exec(message) ?? [];
  return words === null ? null : name + words;
}
