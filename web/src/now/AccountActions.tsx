import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AccountStatus } from "../../../src/delivery/status.ts";
import { path, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { confirm } from "../parts/Dialog.tsx";
import { problem } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

type Act = "reconnect" | "resume" | "pause";

interface AccountActionsProps {
  readonly account: AccountStatus;
  /** Only what may end its trouble. */
  readonly repair?: boolean;
}

const WORDS: Readonly<Record<Act, { readonly word: string; readonly label: (account: string) => string }>> = {
  reconnect: { word: texts.reconnect, label: texts.reconnectOf },
  resume: { word: texts.resume, label: texts.resumeOf },
  pause: { word: texts.pause, label: texts.pauseOf },
};

/** Only other settings end it: those are tried at once, without a press. */
export const isOfSettings = ({ state, why }: AccountStatus): boolean =>
  state === "action-needed" && (why?.code === "auth" || why?.code === "config");

function actsFor(account: AccountStatus, isRepair: boolean): readonly Act[] {
  const { state } = account;
  if (isRepair && isOfSettings(account)) return [];
  const pause: readonly Act[] = isRepair ? [] : ["pause"];
  switch (state) {
    case "paused":
      return ["resume"];
    case "online":
    case "connecting":
      return pause;
    case "degraded":
    case "waiting":
    case "action-needed":
      return ["reconnect", ...pause];
  }
}

/** What Rialto can do for an account. */
export function AccountActions({ account, repair = false }: AccountActionsProps): JSX.Element {
  const busy = useSignal(false);
  const act = async (what: Act): Promise<void> => {
    const { account: name } = account;
    const question = { title: texts.pauseTitle(name), text: texts.pauseText, action: texts.pause };
    if (what === "pause" && !(await confirm(question))) return;
    busy.value = true;
    const answer = await post(`/v1/admin/accounts${path([account.key])}/${what}`);
    busy.value = false;
    problem.value = answer.ok ? null : answer.problem;
  };
  return (
    <>
      {actsFor(account, repair).map((what) => (
        <Button
          // The one takes the place of the other, with the focus.
          key={what === "resume" ? "pause" : what}
          small
          kind={what === "pause" ? "quiet" : "plain"}
          label={WORDS[what].label(account.account)}
          busy={busy.value}
          onPress={() => void act(what)}
        >
          {WORDS[what].word}
        </Button>
      ))}
    </>
  );
}
