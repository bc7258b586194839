// oxlint-disable-next-line eslint/no-control-regex -- what XML, HTML and people have no use for
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** The text without control characters; line breaks and tabs stay. */
export function withoutC0(text: string): string {
  return text.replaceAll(CONTROLS, "");
}
