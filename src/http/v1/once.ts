import { ProblemError } from "./problems.ts";
import type { Call } from "./route.ts";

/** What a request is known by when it comes again. */
export interface Once {
  readonly key: string;
  readonly fingerprint: string;
}

const KEY_MAX = 255;

/** Null: it does not say. Throws a ProblemError. */
export function onceOf(call: Pick<Call, "request" | "fingerprint">): Once | null {
  const key = call.request.headers["idempotency-key"];
  if (key === undefined) return null;
  // The fingerprint costs more than all else here.
  if (typeof key === "string" && key !== "" && key.length <= KEY_MAX) return { key, fingerprint: call.fingerprint };
  throw new ProblemError("bad_request", `Idempotency-Key is one value of 1 to ${KEY_MAX} characters`);
}
