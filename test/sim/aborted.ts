/** Resolves when the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<"aborted"> {
  if (signal.aborted) return "aborted";
  return await new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}
