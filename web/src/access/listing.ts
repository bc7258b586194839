import { type ReadonlySignal, signal } from "@preact/signals";
import { type ApiAnswer, type ApiProblem, get } from "../lib/api.ts";
import { withFocusKept } from "../parts/fresh.ts";

/** What a call lists, as it was when it was asked last. */
export interface Listing<Value> {
  /** Null: not known yet, or it is not there at all. */
  readonly value: ReadonlySignal<Value | null>;
  /** Of the last thing that was refused. */
  readonly problem: ReadonlySignal<ApiProblem | null>;
  readonly load: () => Promise<void>;
  /** Does it, and lists anew. Resolves with the answer; null: it was refused. */
  readonly change: <Done>(work: Promise<ApiAnswer<Done>>) => Promise<Done | null>;
}

export function listing<Value>(path: string): Listing<Value> {
  const value = signal<Value | null>(null);
  const problem = signal<ApiProblem | null>(null);
  let unlisted: ApiProblem | null = null;
  let asked = 0;
  const load = async (): Promise<void> => {
    asked += 1;
    const own = asked;
    const answer = await get<Value>(path);
    // What was asked before a change says how it was before.
    if (own !== asked) return;
    if (answer.ok) {
      value.value = answer.value;
      if (problem.value === unlisted) problem.value = null;
    } else problem.value = unlisted = answer.problem;
  };
  return {
    value,
    problem,
    load,
    change: async (work) => {
      const answer = await work;
      problem.value = answer.ok ? null : answer.problem;
      await withFocusKept(load());
      return answer.ok ? answer.value : null;
    },
  };
}
