import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type ApiProblem, inDoubt, post } from "../lib/api.ts";
import { linkTo } from "../lib/router.ts";
import { Button } from "../parts/Button.tsx";
import { Notice, ProblemNotice } from "../parts/Notice.tsx";
import { begin, gateway, sides, target, viewOf } from "./store.ts";
import { connectTexts as texts } from "./texts.ts";

/** It is linked: the first message shows that it works. */
export function Done(): JSX.Element {
  const seq = useSignal<string | null>(null);
  const isWeb = sides.value.some((side) => viewOf(side)?.protocol === "web");
  const created = target.value?.creates ?? null;
  const problem = useSignal<ApiProblem | null>(null);
  const test = async (): Promise<void> => {
    const body = { gateway: gateway.value, text: texts.testText, as: "Rialto" };
    const answer = await post<{ readonly seq: string | number }>("/v1/admin/messages", body);
    problem.value = answer.ok ? null : inDoubt(answer.problem);
    if (answer.ok) seq.value = String(answer.value.seq);
  };
  return (
    <div class="connect">
      <h1>{texts.title}</h1>
      <Notice
        kind="good"
        title={texts.finished}
        live
        actions={
          <>
            <Button kind="main" onPress={() => void test()}>
              {texts.test}
            </Button>
            {isWeb ? (
              <a class="button" href={linkTo(["access"], { invite: gateway.value })}>
                {texts.invite}
              </a>
            ) : null}
            <Button onPress={begin}>{texts.again}</Button>
          </>
        }
      >
        {created === null ? null : <p>{texts.exampleEnded(created)}</p>}
        <p>{texts.finishedMore}</p>
      </Notice>
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      {seq.value === null ? null : (
        <p role="status">
          {texts.testSent} <a href={linkTo(["messages", seq.value])}>{texts.testWay}</a>
        </p>
      )}
    </div>
  );
}
