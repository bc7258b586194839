import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AccountStatus } from "../../../src/delivery/status.ts";
import { type ApiProblem, path, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { ProblemNotice } from "../parts/Notice.tsx";
import { nowTexts as texts } from "./texts.ts";

/** What Rialto can do for an account that is not as it should be. */
export function AccountActions({ account }: { readonly account: AccountStatus }): JSX.Element | null {
  const busy = useSignal(false);
  const problem = useSignal<ApiProblem | null>(null);
  const act = async (what: "reconnect"): Promise<void> => {
    busy.value = true;
    const answer = await post(`/v1/admin/accounts${path([account.account])}/${what}`);
    busy.value = false;
    problem.value = answer.ok ? null : answer.problem;
  };
  if (account.state === "online") return null;
  return (
    <>
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      <Button label={texts.reconnectOf(account.account)} busy={busy.value} onPress={() => void act("reconnect")}>
        {texts.reconnect}
      </Button>
    </>
  );
}
