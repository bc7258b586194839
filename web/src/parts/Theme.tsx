import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { THEMES, keptTheme, keepTheme, themeOf } from "./themes.ts";
import { partTexts } from "./texts.ts";

const theme = signal(keptTheme());

function show(): void {
  if (theme.value === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
}

show();

/** Whether the page is light, dark, or as the system says. All pages of this address share it. */
export function ThemeSwitch(): JSX.Element {
  return (
    <select
      class="theme"
      aria-label={partTexts.theme}
      value={theme.value}
      onChange={({ currentTarget: { value } }) => {
        theme.value = themeOf(value);
        keepTheme(theme.value);
        show();
      }}
    >
      {THEMES.map((each) => (
        <option key={each} value={each}>
          {partTexts[each]}
        </option>
      ))}
    </select>
  );
}
