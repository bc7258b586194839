import { signal } from "@preact/signals";
import { type Place, placeOf } from "./place.ts";

export { linkTo } from "./place.ts";

export const place = signal<Place>(placeOf(location.hash));

addEventListener("hashchange", () => {
  place.value = placeOf(location.hash);
});

/** `replace`: going back leads to where we were before this place. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  place.value = placeOf(href);
}
