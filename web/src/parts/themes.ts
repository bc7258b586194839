/** `auto`: as the system says. */
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "rialto.theme";

export const themeOf = (text: string | null): Theme => THEMES.find((each) => each === text) ?? "auto";

/** A browser that keeps nothing (private windows) goes by the system. */
export function keptTheme(): Theme {
  try {
    return themeOf(localStorage.getItem(KEY));
  } catch {
    return "auto";
  }
}

export function keepTheme(theme: Theme): void {
  try {
    if (theme === "auto") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // It is so until the page is loaded again.
  }
}
