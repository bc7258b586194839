import type { Capabilities } from "../contract/capabilities.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { CheckPattern } from "./coerce.ts";
import type { Gateway } from "./config.ts";
import type { ProblemReport } from "./problems.ts";

/** Accounts that meet in more than one way: what one relays, another brings back. */
interface Loop {
  readonly rooms: readonly string[];
  readonly gateways: readonly string[];
  readonly accounts: readonly string[];
}

/** What the rest of the program knows and the configuration is checked against. */
export interface Rules {
  readonly protocols: ReadonlyMap<string, Manifest>;
  /** What a network can do; null: the HTTP API, which is none; undefined: it is not known. */
  readonly capabilitiesOf: (protocol: string) => Capabilities | null | undefined;
  readonly checkPattern: CheckPattern;
  readonly findLoops: (
    gateways: readonly Gateway[],
    roomOf: (accountKey: string, channel: string) => string,
  ) => readonly Loop[];
}

/** Handed through the steps of one load. */
export interface Context {
  readonly rules: Rules;
  readonly report: ProblemReport;
  /** Of the file; relative paths count from it. Absolute. */
  readonly folder: string;
}
