/** Fails with the first place where two lists of texts differ. */
export function expectSame(found: readonly string[], wanted: readonly string[], what: string): void {
  const at = wanted.findIndex((text, index) => text !== found[index]);
  const first = at >= 0 ? at : wanted.length;
  if (at < 0 && found.length === wanted.length) return;
  throw new Error(
    `${what}: of ${wanted.length} wanted ${found.length} are there; number ${first + 1} should be ` +
      `${JSON.stringify(wanted[first] ?? null)} and is ${JSON.stringify(found[first] ?? null)}`,
  );
}
