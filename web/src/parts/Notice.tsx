import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ApiProblem } from "../lib/api.ts";

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
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => () => leaveFocus(box.current), []);
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

/** What goes with the focus in it leaves it to what it stood in: else it is nowhere. */
function leaveFocus(box: HTMLElement | null): void {
  if (box === null || !box.contains(document.activeElement)) return;
  const around = box.parentElement?.closest<HTMLElement>("section, form, main");
  if (around === null || around === undefined) return;
  if (!around.hasAttribute("tabindex")) around.tabIndex = -1;
  around.focus({ preventScroll: true });
}

/** Why a call was refused, and what to do. */
export function ProblemNotice({ problem }: { readonly problem: ApiProblem }): JSX.Element {
  return (
    <Notice kind="bad" title={problem.title} live>
      {problem.detail === "" ? null : <p>{problem.detail}</p>}
      {problem.errors.map(({ pointer, detail }) => (
        <p key={pointer}>
          <code>{pointer}</code> {detail}
        </p>
      ))}
      {problem.remedy === null ? null : <p>{problem.remedy}</p>}
    </Notice>
  );
}
