import type { JSX } from "preact";

export type StateKind = "good" | "warn" | "bad" | "none";

/** How something is, in a word; `title`: why. */
export function State(props: {
  readonly kind: StateKind;
  readonly word: string;
  readonly title?: string;
}): JSX.Element {
  return (
    <span class={`state ${props.kind}`} title={props.title}>
      {props.word}
    </span>
  );
}
