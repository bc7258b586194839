/**
 * What people write and see in the network's clients, as far as tests need it. It shares nothing with the program's
 * own reading of Markdown.
 */

/** A text as somebody has to type it so that it is shown as it is. */
export function typed(text: string): string {
  return text
    .replaceAll(/\\(?!\w)|[`*_~|[\]]/gu, String.raw`\$&`)
    .replaceAll(/^(\s*)(?=[->#])/gmu, "$1\\")
    .replaceAll(/^(\s*\d+)(?=[.)]\s)/gmu, "$1\\");
}

const SHOWN = new RegExp(
  [
    // A backslash before a letter or a digit is one: as in names of shared folders.
    String.raw`\\(?<sign>[^\p{L}\p{N}\s])`,
    String.raw`<(?<address>https?:\/\/[^\s<>]+)>`,
    String.raw`<@!?(?<user>\d+)>`,
  ].join("|"),
  "gu",
);

/** A text of the network as a person sees it; `nameOf` gives the name that a mention is shown as. */
export function seen(content: string, nameOf: (user: string) => string = () => "unknown-user"): string {
  return content.replaceAll(SHOWN, (whole: string, ...rest: unknown[]) => {
    const { sign, address, user } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    return sign ?? address ?? (user === undefined ? whole : `@${nameOf(user)}`);
  });
}

/** A name such as `<Bob> ` may stand before the words, which are emphasized. */
const ACTION = /^((?:\\?<[^\n]{1,80}?\\?> )?)([*_])(?![*_\s])(.*[^*_\s\\])\2$/su;

/** All of it is emphasized, as clients write what follows `/me`. */
export function actionIn(content: string): string | null {
  const [, name = "", , words = null] = ACTION.exec(content) ?? [];
  return words === null ? null : name + words;
}

/** A line of small text at the top that links to a message: how those answer who cannot by the network's own means. */
export function jumpIn(content: string): { readonly message: string; readonly rest: string } | null {
  const [line = "", message] = /^-# [^\n]*\/channels\/\d+\/\d+\/(\d+)[^\n]*(?:\n|$)/u.exec(content) ?? [];
  return message === undefined ? null : { message, rest: content.slice(line.length) };
}
