import type { NetConnectOpts } from "node:net";
import type { Rialto } from "../support/rialto.ts";
import type { Dialect } from "./http-requests.ts";

/** A server of the program that strangers, or programs beside it, may ask. */
export interface Surface {
  readonly dialect: Dialect;
  /** Where the n-th connection leads. */
  readonly address: (rialto: Rialto, turn: number) => NetConnectOpts;
  /** Of each post that was answered 200: its text where the answers have it, else what no other answer has. */
  readonly taken: (received: string) => readonly string[];
  /** Whether `taken` gives texts. */
  readonly namesTexts: boolean;
}
