import type { Descriptors } from "../lib/descriptors.ts";
import type { BodyBudget } from "./body-budget.ts";

/** What all servers of the program share out among their clients. */
export interface ServerShare {
  readonly bodies: BodyBudget;
  readonly descriptors: Descriptors;
}
