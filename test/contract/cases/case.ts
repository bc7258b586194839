import type { Capabilities } from "../../../src/contract/capabilities.ts";
import type { Feature } from "../fixture.ts";
import type { Stage } from "../stage.ts";

/** One promise of the contract. */
export interface Case {
  readonly name: string;
  /** Whether this network makes the promise; absent: every network does. */
  when?(capabilities: Capabilities, features: ReadonlySet<Feature>): boolean;
  /** Rejects with an error that says what broke. The stage cleans up behind it. */
  run(stage: Stage): Promise<void>;
}
