const SECONDS_MAX = 8.64e12;

/**
 * A moment by a format of Slack (`{date} at {time}`) as people read it where nobody knows their zone: in UTC; how long
 * ago it was says nothing later on. `seconds`: since 1970. Null: no date can show it.
 */
export function momentWords(seconds: number, format: string): string | null {
  if (!(Math.abs(seconds) <= SECONDS_MAX)) return null;
  const at = new Date(seconds * 1000);
  const words = format.replaceAll(/\{(\w{1,40})\}/g, (own, name: string) => part(at, name) ?? own);
  return words.trim() === "" ? `${long(at)} ${clock(at)}` : words;
}

function part(at: Date, name: string): string | null {
  switch (name) {
    case "time":
      return clock(at);
    case "time_secs":
      return `${at.toISOString().slice(-13, -5)} UTC`;
    case "date_num":
      return at.toISOString().replace(/T.*$/, "");
    case "date_slash":
      return shown(at, { day: "2-digit", month: "2-digit", year: "numeric" });
    case "date_long":
    case "date_long_pretty":
      return `${shown(at, { weekday: "long" })}, ${long(at)}`;
    case "date_short":
    case "date_short_pretty":
      return shown(at, { day: "numeric", month: "short", year: "numeric" });
    case "ago":
      return `${long(at)} ${clock(at)}`;
    default:
      return name.startsWith("date") || name.startsWith("day_") ? long(at) : null;
  }
}

const clock = (at: Date): string => `${at.toISOString().slice(-13, -8)} UTC`;
const long = (at: Date): string => shown(at, { day: "numeric", month: "long", year: "numeric" });

function shown(at: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(at);
}
