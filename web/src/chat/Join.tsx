import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { WebJoin, WebMe } from "../../../src/contract/web-chat.ts";
import { type ApiProblem, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Field } from "../parts/Field.tsx";
import { Notice } from "../parts/Notice.tsx";
import { joinKey } from "./kept.ts";
import { chatTexts as texts } from "./texts.ts";

interface JoinProps {
  readonly invite: string;
  readonly onJoined: (me: WebMe) => void;
}

/** What is in the name itself, and not in the invite. */
const OF_NAME = new Set(["name_taken", "bad_name"]);

export function Join({ invite, onJoined }: JoinProps): JSX.Element {
  const name = useSignal("");
  const problem = useSignal<ApiProblem | null>(null);
  const missing = useSignal(false);
  const busy = useSignal(false);
  const join = async (wanted: string): Promise<void> => {
    missing.value = wanted.trim() === "";
    if (missing.value || busy.value) return;
    busy.value = true;
    const body: WebJoin = { invite, name: wanted.trim() };
    const answer = await post<WebMe>("/v1/join", body, { headers: { "Idempotency-Key": joinKey(invite) } });
    busy.value = false;
    if (answer.ok) onJoined(answer.value);
    else problem.value = answer.problem;
  };
  const suggestion = problem.value?.body["suggestion"];
  const ofName = problem.value !== null && OF_NAME.has(problem.value.code);
  return (
    <main class="join">
      <h1>{texts.joinTitle}</h1>
      {problem.value === null || ofName ? null : <Refused problem={problem.value} />}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void join(name.value);
        }}
      >
        <Field
          label={texts.yourName}
          hint={texts.nameHint}
          error={missing.value ? texts.nameMissing : wrongWith(problem.value)}
        >
          {(field) => (
            <input
              {...field}
              type="text"
              autocomplete="nickname"
              maxLength={64}
              autofocus
              value={name.value}
              onInput={({ currentTarget }) => {
                name.value = currentTarget.value;
              }}
            />
          )}
        </Field>
        {ofName && typeof suggestion === "string" ? (
          <p>
            <Button
              onPress={() => {
                name.value = suggestion;
                void join(suggestion);
              }}
            >
              {texts.use(suggestion)}
            </Button>
          </p>
        ) : null}
        <Button kind="main" type="submit" busy={busy.value}>
          {texts.join}
        </Button>
      </form>
    </main>
  );
}

const wrongWith = (problem: ApiProblem | null): string | null =>
  problem !== null && OF_NAME.has(problem.code) ? saying(problem) : null;

const saying = ({ title, detail }: ApiProblem): string => (detail === "" ? title : detail);

function Refused({ problem }: { readonly problem: ApiProblem }): JSX.Element {
  const titles: Readonly<Record<string, string>> = { invite_gone: texts.inviteGone, banned: texts.banned };
  const title = titles[problem.code];
  return (
    <Notice kind="bad" title={title ?? problem.title} live>
      {problem.detail === "" ? null : <p>{problem.detail}</p>}
    </Notice>
  );
}
