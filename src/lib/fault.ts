/** Enough to find the place, and not the whole way there. */
const FRAMES_MAX = 3;

/**
 * What was thrown and where, for the log. Without the words: those of JSON.parse quote the text, which may be what
 * somebody said.
 */
export function faultOf(error: unknown): { readonly error: string; readonly at: readonly string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const stack = (error.stack ?? "").replace(error.message, "");
  const frames = stack.match(/^ {4}at .+$/gmu) ?? [];
  return { error: error.name, at: frames.slice(0, FRAMES_MAX).map((frame) => frame.trim()) };
}
