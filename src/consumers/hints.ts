import type { HintEvent } from "../contract/api-v1.ts";

/** What is only true now: who types, who is there. Never in the log, dropped where nobody listens or too much comes. */
export interface Hints {
  /** Must not throw, and holds nobody up. */
  tell(hint: HintEvent): void;
  /** Returns what ends it. The listener must be quick. */
  listen(listener: (hint: HintEvent) => void): () => void;
}
