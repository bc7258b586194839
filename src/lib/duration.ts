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

const DAY_MS = 86_400_000;

/** As `parseDuration`, also with days in front: `30d`, `1d12h`. */
export function parseSpan(text: string): number | null {
  const [, days, rest = ""] = /^(?:(\d+(?:\.\d+)?)d)?(.*)$/u.exec(text) ?? [];
  if (days === undefined) return parseDuration(text);
  const ms = rest === "" ? 0 : parseDuration(rest);
  return ms === null ? null : Math.round(Number(days) * DAY_MS) + ms;
}

/** As `formatDuration`, with whole days in front: 2 592 000 000 is `30d`. */
export function formatSpan(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const rest = ms % DAY_MS;
  if (days === 0) return formatDuration(ms);
  return `${days}d${rest === 0 ? "" : formatDuration(rest)}`;
}
