const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

const isUnit = (text: string | undefined): text is keyof typeof units => text !== undefined && text in units;

/** Reads `90s`, `5m`, `1h30m` or `1.5h` (units h, m, s and ms) as whole milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/u.test(text)) return null;
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/gu)) {
    if (isUnit(unit)) sum += Number(number) * units[unit];
  }
  return Math.round(sum);
}

/** Whole milliseconds in the largest units that fit: 5 400 000 is `1h30m`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0s";
  let rest = ms;
  let text = "";
  for (const unit of ["h", "m", "s", "ms"] as const) {
    const count = Math.floor(rest / units[unit]);
    rest -= count * units[unit];
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}
