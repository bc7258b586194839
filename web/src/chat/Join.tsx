import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { WebInvite, WebJoin, WebMe } from "../../../src/contract/web-chat.ts";
import { type ApiProblem, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Notice } from "../parts/Notice.tsx";
import { joinKey } from "./kept.ts";
import { NameField, reasonOf } from "./NameField.tsx";
import { OtherRooms } from "./RoomLinks.tsx";
import { rooms } from "./rooms.ts";
import { chatTexts as texts } from "./texts.ts";

interface JoinProps {
  readonly invite: string;
  /** Where it leads; null: the server did not say. */
  readonly found: WebInvite | null;
  readonly onJoined: (me: WebMe) => void;
}

/** What is in the name itself, and not in the invite. */
const OF_NAME = new Set(["name_taken", "bad_name"]);

export function Join({ invite, found, onJoined }: JoinProps): JSX.Element {
  // A guest of another room is probably the same person here.
  const name = useSignal(rooms.value?.[0]?.guest.name ?? "");
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
  const refused = problem.value;
  const ofName = refused !== null && OF_NAME.has(refused.code) ? refused : null;
  return (
    <main class="join">
      <Where found={found} />
      {refused === null || ofName !== null ? null : <Refused problem={refused} />}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void join(name.value);
        }}
      >
        <NameField
          name={name}
          error={missing.value ? texts.nameMissing : ofName === null ? null : reasonOf(ofName)}
          problem={ofName}
          onUse={(suggestion) => {
            name.value = suggestion;
            void join(suggestion);
          }}
        />
        <Button kind="main" type="submit" busy={busy.value}>
          {texts.join}
        </Button>
      </form>
      <OtherRooms />
    </main>
  );
}

function Where({ found }: { readonly found: WebInvite | null }): JSX.Element {
  if (found === null) return <h1>{texts.joinTitle}</h1>;
  return (
    <div>
      <h1>{texts.joinRoom(found.room)}</h1>
      {found.topic === "" ? null : <p dir="auto">{found.topic}</p>}
      {found.runBy === "" ? null : <p class="muted">{texts.runBy(found.runBy)}</p>}
    </div>
  );
}

export function Refused({ problem }: { readonly problem: ApiProblem }): JSX.Element {
  const titles: Readonly<Record<string, string>> = { invite_gone: texts.inviteGone, banned: texts.banned };
  const title = titles[problem.code];
  return (
    <Notice kind="bad" title={title ?? problem.title} live>
      {problem.detail === "" ? null : <p>{problem.detail}</p>}
    </Notice>
  );
}
