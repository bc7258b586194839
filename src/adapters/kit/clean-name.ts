/** Names may hold anything: what breaks lines, or writes backwards, has no place in one. */
export function cleanName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, " ")
    .replaceAll(/ {2,}/gu, " ")
    .trim();
}
