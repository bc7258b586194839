/** Whether a text has all words of a filter, in any order and case. */
export function fits(text: string, filter: string): boolean {
  const low = text.toLowerCase();
  return filter
    .trim()
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => low.includes(word));
}
