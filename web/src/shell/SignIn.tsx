import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type ApiProblem, get, post, unauthorized } from "../lib/api.ts";
import { goTo, linkTo } from "../lib/router.ts";
import { Notice } from "../parts/Notice.tsx";
import { shellTexts as texts } from "./texts.ts";

/**
 * The secret of a link, which is in the fragment of the address; taken out of the address and of the history. The page
 * that the link names is where it leads.
 */
export function takeLogin(): string | null {
  const said = new URLSearchParams(location.hash.slice(1));
  const login = said.get("login");
  if (login === null) return null;
  history.replaceState(null, "", location.pathname);
  const page = said.get("page");
  if (page !== null) goTo(linkTo([page]), { replace: true });
  return login;
}

/** Null: we are in; also who was in before, and opens an old link again. */
async function signIn(login: string): Promise<ApiProblem | null> {
  const answer = await post("/v1/session", { login });
  return answer.ok || (await get("/v1/session")).ok ? null : answer.problem;
}

/** Asks for a link, or uses one. */
export function SignIn({ login, onDone }: { readonly login: string | null; readonly onDone: () => void }): JSX.Element {
  const problem = useSignal<ApiProblem | null>(null);
  const busy = useSignal(login !== null);
  useEffect(() => {
    if (login === null) return;
    void signIn(login).then((refused) => {
      busy.value = false;
      problem.value = refused;
      if (refused !== null) return;
      unauthorized.value = false;
      onDone();
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
