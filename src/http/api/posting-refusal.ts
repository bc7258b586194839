import type { PostingTarget } from "../../gateway/routes.ts";
import { problem, type HttpProblem } from "./problem.ts";

/** Of a gateway's name that a client made up. */
const SHOWN_CHARS = 100;

/** Why nothing can be posted there. `given`: the name as the client wrote it. */
export function explain(posting: Exclude<PostingTarget, { is: "ok" }>, given: string): HttpProblem {
  const named = shorten(given);
  switch (posting.is) {
    case "unknown":
      return problem(
        404,
        `gateway "${named}" does not exist or is not enabled for this account; it is in: ${list(posting.names)}`,
      );
    case "receive-only":
      return problem(
        403,
        `this account may only receive in gateway "${posting.gateway}"; list it under inout (or in) there to let it send`,
      );
    case "ambiguous":
      return problem(400, `gateway is missing, and this account is in several; name one of: ${list(posting.names)}`);
  }
}

export const shorten = (name: string): string => (name.length > SHOWN_CHARS ? `${name.slice(0, SHOWN_CHARS)}…` : name);

/** Names for people; a long list is cut. */
export function list(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const shown = names
    .slice(0, 20)
    .map((name) => `"${name}"`)
    .join(", ");
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown;
}
