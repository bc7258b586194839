import type { Outcome } from "../../../src/contract/outcome.ts";
import type { Attempt } from "../../../src/contract/session.ts";

export const DELIVERED: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };
export const WHY = { code: "bug", message: "it is broken" } as const;

/** Long enough that others go first. */
export async function later(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

export async function never<T>(): Promise<T> {
  return await new Promise(() => undefined);
}

/** The same attempt, but what the handler tells reaches nobody but `sent`. */
export function untold({ signal }: Attempt, sent: Attempt["sent"] = () => undefined): Attempt {
  return { signal, sending: () => Promise.resolve(true), sent };
}
