import { useSignal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ApiProblem } from "../lib/api.ts";
import { errorsByField } from "../lib/problem-words.ts";
import { focusInvalid } from "./focus.ts";
import { ProblemNotice } from "./Notice.tsx";

/** Why a form was refused. */
export interface FormRefusal {
  /** What is wrong with one field, which is named as that of the request. */
  readonly at: (field: string) => string | null;
  /** Takes the error away that was said of a field: it is being corrected. */
  readonly clear: (field: string) => void;
  /** Null: it was not refused. */
  readonly set: (problem: ApiProblem | null) => void;
  /** Stands in the form, and shows all that is said of no field. */
  readonly notice: JSX.Element;
}

/** `fields`: those that the form has. The first that is wrong gets the focus. */
export function useRefusal(fields: readonly string[]): FormRefusal {
  const problem = useSignal<ApiProblem | null>(null);
  const cleared = useSignal<ReadonlySet<string>>(new Set());
  const box = useRef<HTMLDivElement>(null);
  const found = problem.value === null ? null : errorsByField(problem.value, fields);
  useEffect(() => {
    if (problem.value !== null) focusInvalid(formAround(box));
  }, [problem.value]);
  const isAtFields = found !== null && found.of.size > 0 && found.others.length === 0;
  return {
    at: (field) => (cleared.value.has(field) ? null : (found?.of.get(field) ?? null)),
    clear: (field) => {
      if (!cleared.value.has(field)) cleared.value = new Set([...cleared.value, field]);
    },
    set: (refused) => {
      cleared.value = new Set();
      problem.value = refused;
    },
    notice: (
      <div ref={box}>
        {problem.value === null || found === null || isAtFields ? null : (
          <ProblemNotice problem={{ ...problem.value, errors: found.others }} />
        )}
      </div>
    ),
  };
}

const formAround = ({ current }: RefObject<HTMLElement | null>): Element | null =>
  current?.closest("dialog, form, section") ?? null;
