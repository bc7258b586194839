/** Calls `act` when the signal is aborted: once, and at once if it is already. What it returns takes that back. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted === true) act();
  if (signal === undefined || signal.aborted) return () => undefined;
  const listener = (): void => act();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * Whether it is aborted by now: for those who looked before they waited, which the compiler takes for the last word.
 */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Resolves when it is. */
export async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => void onAbort(signal, resolve));
}
