import type { AccountAct, AccountActed, AccountStatus } from "../../../delivery/status.ts";
import { ProblemError } from "../problems.ts";
import { type Call, ok, type Reply, type Route } from "../route.ts";

/** The accounts that a caller may pause, resume and reconnect. */
export interface AccountDesk {
  /** Key of the account of this name; null: the caller sees none. Throws a ProblemError for who may not ask. */
  readonly keyOf: (name: string, call: Call) => string | null;
  /** An account of the API has no session that could be ended. */
  readonly isOfApi: (key: string) => boolean;
  /** Rejects with a LogError. */
  readonly control: (key: string, act: AccountAct) => Promise<AccountActed>;
  readonly status: () => Promise<readonly AccountStatus[]>;
  readonly view: (status: AccountStatus) => unknown;
}

const ACTS: Readonly<Record<AccountAct, { readonly summary: string; readonly about: string }>> = {
  pause: {
    summary: "Ends the session of an account, and opens none until it is resumed.",
    about:
      "What is under way comes to its end first. What is to go there waits, up to MaxAge; what is said there comes " +
      "afterwards where the network has a history. It stays paused over a restart.",
  },
  resume: { summary: "Lets a paused account connect again.", about: "What waited is sent then, in its order." },
  reconnect: {
    summary: "Opens another session for an account at once.",
    about: "Also one that waits for another try, or for somebody to act.",
  },
};

/** The three operations, over whatever the server has. */
export function accountActRoutes<Deps>(deskOf: (deps: Deps) => AccountDesk): readonly Route<Deps>[] {
  const route = (act: AccountAct): Route<Deps> => ({
    method: "POST",
    path: `/v1/admin/accounts/{account}/${act}`,
    needs: "admin",
    id: `${act}Account`,
    summary: ACTS[act].summary,
    about: ACTS[act].about,
    answers: {
      200: { about: "How the account is now.", schema: { type: "object", required: ["account", "state"] } },
      404: { about: "There is no such account." },
      409: { about: "It cannot be done: `detail` says why." },
    },
    handle: async (call, deps) => await doAct(act, call, deskOf(deps)),
  });
  return [route("pause"), route("resume"), route("reconnect")];
}

async function doAct(act: AccountAct, call: Call, desk: AccountDesk): Promise<Reply> {
  const name = call.params["account"] ?? "";
  const key = desk.keyOf(name, call);
  if (key === null) throw new ProblemError("not_found", `there is no account of the name ${name}`);
  if (desk.isOfApi(key)) {
    throw new ProblemError("conflict", `${name} is an account of the HTTP API: it has no session; revoke its tokens`);
  }
  const acted = await desk.control(key, act);
  if (acted.is === "refused") throw new ProblemError("conflict", acted.why);
  const status = (await desk.status()).find((each) => each.key === key);
  if (acted.is === "unknown" || status === undefined) {
    throw new ProblemError("not_found", `the account ${name} is not open`);
  }
  return ok(desk.view(status));
}
