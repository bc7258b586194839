/** The first that fits counts: most browsers also name those that they imitate. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//u, "Edge"],
  [/\bOPR\//u, "Opera"],
  [/\b(?:Firefox|FxiOS)\//u, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//u, "Chrome"],
  [/\bSafari\//u, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/u, "Android"],
  [/\b(?:iPhone|iPad|iPod)\b/u, "iOS"],
  [/\bWindows\b/u, "Windows"],
  [/\bMac OS X\b/u, "macOS"],
  [/\bCrOS\b/u, "ChromeOS"],
  [/\bLinux\b/u, "Linux"],
];

/** `Firefox on Windows`, by a `User-Agent`. The text itself where the browser is not known. */
export function browserName(agent: string): string {
  const named = (names: typeof BROWSERS): string | undefined => names.find(([sign]) => sign.test(agent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser === undefined) return agent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
