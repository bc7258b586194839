import { LogError } from "../../log/errors.ts";

/**
 * A refusal of the HTTP API as a value: the status, and what to tell the client. Never holds message text or secrets.
 */
export interface HttpProblem {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 421 | 422 | 500 | 501 | 503;
  readonly message: string;
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterS?: number;
}

export const problem = (status: HttpProblem["status"], message: string): HttpProblem => ({ status, message });

/** The body of every error answer: a JSON object with a string `message`, as existing clients read it. */
export const problemBody = (message: string): string => `${JSON.stringify({ message })}\n`;

/** The log has not taken a message, and never will. */
export function notStored(error: LogError): HttpProblem {
  const retryAfterS = error.code === "disk_full" ? 10 : 1;
  return {
    ...problem(503, `the message could not be stored (${whyOf(error)}); nothing was relayed, try again`),
    retryAfterS,
  };
}

/** The log, or who else may run the account, is not heard. */
export const unsure = (): LogError =>
  new LogError("unreachable", "it is not certain at the moment that this node runs the account");

/** Readers are given nothing at the moment, and lose nothing by that. */
export const notRead = (why: LogError): HttpProblem => ({
  ...problem(503, `the messages cannot be read now (${whyOf(why)}); try again`),
  retryAfterS: 1,
});

/**
 * Why the log cannot do it, for clients: without the places on this machine that the error names, which the log of the
 * program has.
 */
export function whyOf({ code }: LogError): string {
  switch (code) {
    case "disk_full":
      return "no room on the disk";
    case "overloaded":
      return "the disk does not keep up";
    case "unreachable":
    case "unknown":
    case "stream":
      return "the servers that carry the log cannot be reached";
    case "fenced":
      return "another node has taken over";
    case "closed":
      return "Rialto is stopping";
    case "diverged":
    case "damaged":
      return "Rialto's log is damaged, and its operator must repair it";
    case "io":
    case "unwritable":
    case "locked":
    case "format":
      return "the disk does not work";
  }
}
