/**
 * A text as one segment of a path. `.` and `..` would be resolved away however they are written: they become something
 * that nothing is called.
 */
export function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/^\.{1,2}$/gu, (dots) => dots.replaceAll(".", "%252E"));
}
