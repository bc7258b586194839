import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { ConfigCheck, ConfigFlaw } from "../../../src/http/admin/v1/config-deps.ts";
import { errorsIn } from "./store.ts";
import { configTexts as texts } from "./texts.ts";

interface ProblemsProps {
  /** Null: it was not checked as it stands. */
  readonly checked: ConfigCheck | null;
  readonly onGo: (problem: ConfigFlaw) => void;
}

/** Of the section, which takes the focus. */
export const PROBLEMS_ID = "problems";

/** What is wrong, each with its place, which a press leads to. */
export function Problems({ checked, onGo }: ProblemsProps): JSX.Element {
  const id = useId();
  const problems = checked?.problems ?? [];
  const errors = errorsIn(problems);
  const count = checked === null ? texts.notChecked : texts.count(errors, problems.length - errors);
  return (
    <section id={PROBLEMS_ID} tabIndex={-1} aria-labelledby={id}>
      <h2 id={id}>{texts.problems}</h2>
      <p role="status" class="hint">
        {count === "" ? texts.noProblems : count}
      </p>
      <ul class="problems" aria-label={texts.problems}>
        {problems.map((problem) => (
          <li key={JSON.stringify(problem)} class={problem.severity}>
            <Place problem={problem} onGo={onGo} />
            <span>
              <strong>{problem.severity === "error" ? texts.error : texts.warning}:</strong> {problem.message}
              {problem.remedy === "" ? "" : `; ${problem.remedy}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Place({ problem, onGo }: { readonly problem: ConfigFlaw } & Pick<ProblemsProps, "onGo">): JSX.Element {
  if (problem.line === 0) return <span class="hint">{texts.environment}</span>;
  return (
    <button type="button" class="link" onClick={() => onGo(problem)}>
      {texts.problemAt(problem.line, problem.column)}
    </button>
  );
}
