/** A longer text is a document: it would make the box slow, and is attached as a file instead. */
export const DOCUMENT_CHARS = 100_000;

/** By how many characters a text is too long; 0: it fits. */
export function charactersOver(text: string, most: number): number {
  if (text.length <= most) return 0;
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return Math.max(0, text.length - pairs - most);
}
