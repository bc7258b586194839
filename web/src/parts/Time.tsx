import type { JSX } from "preact";
import { clock, moment, utc } from "../lib/format.ts";

/** In the user's zone; UTC as title. */
export function Time({ ms, exact = false }: { readonly ms: number; readonly exact?: boolean }): JSX.Element {
  return (
    <time dateTime={new Date(ms).toISOString()} title={utc(ms)}>
      {exact ? clock(ms) : moment(ms)}
    </time>
  );
}
