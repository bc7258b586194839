/** A refusal of the HTTP API as a value: the status, and what to tell the client. Never holds message text or secrets. */
export interface Problem {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 422 | 500 | 503;
  readonly message: string;
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterS?: number;
}

export const problem = (status: Problem["status"], message: string): Problem => ({ status, message });

/** The body of every error answer: a JSON object with a string `message`, as existing clients read it. */
export const problemBody = (message: string): string => `${JSON.stringify({ message })}\n`;
