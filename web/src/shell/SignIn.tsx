import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type ApiProblem, post, unauthorized } from "../lib/api.ts";
import { Notice } from "../parts/Notice.tsx";
import { shellTexts as texts } from "./texts.ts";

/** What a link of `rialto dashboard` brought in the fragment of the address; taken out of it and of the history. */
export function takeLogin(): string | null {
  const login = new URLSearchParams(location.hash.slice(1)).get("login");
  if (login !== null) history.replaceState(null, "", location.pathname);
  return login;
}

/** Asks for a link, or uses one. */
export function SignIn({ login, onDone }: { readonly login: string | null; readonly onDone: () => void }): JSX.Element {
  const problem = useSignal<ApiProblem | null>(null);
  const busy = useSignal(login !== null);
  useEffect(() => {
    if (login === null) return;
    void post("/v1/session", { login }).then((answer) => {
      busy.value = false;
      if (answer.ok) {
        unauthorized.value = false;
        onDone();
      } else problem.value = answer.problem;
    });
  }, [login]);
  return (
    <main id="content" class="sign-in">
      <h1>Rialto</h1>
      {problem.value === null ? null : (
        <Notice kind="bad" title={texts.signInRefused} live>
          <p>{problem.value.detail === "" ? problem.value.title : problem.value.detail}</p>
        </Notice>
      )}
      {busy.value ? (
        <p role="status">{texts.signingIn}</p>
      ) : (
        <>
          <h2>{texts.signInTitle}</h2>
          <p>{texts.signInHow}</p>
          <pre>
            <code>{texts.signInCommand}</code>
          </pre>
          <p>{texts.signInThen}</p>
        </>
      )}
    </main>
  );
}
