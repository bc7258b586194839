// oxlint-disable-next-line eslint/no-control-regex -- XML does not allow them, and IRC and terminals take them for commands
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;

/**
 * Whether people see nothing of a text, at places that allow control characters or not: it is blanks, controls and
 * characters without a width.
 */
export function isUnseen(text: string): boolean {
  return /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
}

/** The text without control characters of ASCII; line breaks and tabs stay. */
export function withoutC0(text: string): string {
  return text.replaceAll(CONTROLS, "");
}
