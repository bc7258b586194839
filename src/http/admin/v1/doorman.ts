import type { Access, Scope } from "../../../access/access.ts";
import { compileGuard } from "../../auth.ts";
import { flawOf } from "../../flaws.ts";
import { fromHttp, type Knock } from "../../v1/doorman.ts";
import { ProblemError } from "../../v1/problems.ts";
import type { Operation } from "../../v1/route.ts";

export interface OperatorDoormanOptions {
  /** `AdminToken`; null: there is none, and nobody comes in by one. */
  readonly token: string | null;
}

const NEVER = new AbortController().signal;
const ALL = new Set<Scope>(["read", "write", "moderate", "admin"]);
const OWN = { account: "", gateways: null, by: "configuration", token: null, name: "operator", ended: NEVER } as const;
const OPERATOR: Access = { ...OWN, scopes: ALL };
const NOBODY: Access = { ...OWN, scopes: new Set() };

/** Lets operators in at the admin server: unlike at its older addresses, nobody comes in without a credential. */
export class OperatorDoorman {
  readonly #guard: ((authorization: string | undefined) => boolean) | null;

  constructor({ token }: OperatorDoormanOptions) {
    this.#guard = token === null ? null : compileGuard(token);
  }

  /** Throws a ProblemError for whom nobody lets in. */
  admit(knock: Knock, route: Pick<Operation, "needs"> | null): Access {
    const flaw = flawOf(knock);
    if (flaw !== null) throw fromHttp(flaw);
    if (route?.needs === null) return NOBODY;
    if (this.#guard?.(knock.headers.authorization) === true) return OPERATOR;
    throw new ProblemError("unauthorized", "this address needs a session: `rialto dashboard` prints a link to one", {
      headers: { "WWW-Authenticate": "Bearer" },
    });
  }
}
