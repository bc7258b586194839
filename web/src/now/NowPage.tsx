import type { JSX } from "preact";
import { status } from "../lib/live.ts";

export function NowPage(): JSX.Element {
  return <h1>Now {status.value?.version}</h1>;
}
