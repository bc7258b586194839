/** Who we are there. */
export interface TelegramIdentity {
  readonly id: number;
  /** Without `@`. */
  readonly username: string;
  readonly name: string;
  /** Privacy mode is off: we are told all that is said in groups. */
  readonly readsAll: boolean;
}
