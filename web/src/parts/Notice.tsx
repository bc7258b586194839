import type { ComponentChildren, JSX } from "preact";
import type { ApiProblem } from "../lib/api.ts";
import { wordsOf } from "../lib/problem-words.ts";
import { useFocusLeft } from "./focus.ts";

interface NoticeProps {
  readonly kind: "bad" | "warn" | "good" | "info";
  readonly title: ComponentChildren;
  /** What to do about it, and all else. */
  readonly children?: ComponentChildren;
  /** Buttons. */
  readonly actions?: ComponentChildren;
  /** Said at once by who reads the page aloud. */
  readonly live?: boolean;
}

const SIGNS = { bad: "✕", warn: "!", good: "✓", info: "i" } as const;

export function Notice({ kind, title, children, actions, live = false }: NoticeProps): JSX.Element {
  const box = useFocusLeft<HTMLDivElement>();
  return (
    <div ref={box} class={`notice ${kind}`} role={live ? (kind === "bad" ? "alert" : "status") : undefined}>
      <span class="sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <div class="said">
        <p class="title">{title}</p>
        {children === undefined || children === null ? null : <div class="more">{children}</div>}
      </div>
      {actions === undefined || actions === null ? null : <div class="actions">{actions}</div>}
    </div>
  );
}

/** Why a call was refused, and what to do. */
export function ProblemNotice({ problem }: { readonly problem: ApiProblem }): JSX.Element {
  const { title, more, remedy } = wordsOf(problem);
  return (
    <Notice kind="bad" title={title} live>
      {more === "" ? null : <p>{more}</p>}
      {problem.errors.map(({ pointer, detail }) => (
        <p key={pointer}>
          <code>{pointer.slice(1)}</code> {detail}
        </p>
      ))}
      {remedy === null ? null : <p>{remedy}</p>}
    </Notice>
  );
}
