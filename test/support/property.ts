import { configureGlobal, type IAsyncProperty, type IProperty, assert as hold, type Parameters } from "fast-check";

/**
 * Properties get the same inputs in every run, so that a run of the same code ends the same way; `PROPERTY_SEED=2 npm
 * test` tries others. `npm test` tries a tenth of them, and a hundred at least, because they would take most of its
 * time; all of them with `PROPERTY_RUNS=all`.
 */
configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 1) });

export * from "fast-check";

/** Of how many inputs one is tried. */
const EACH = process.env["PROPERTY_RUNS"] === "all" ? 1 : 10;
/** As fast-check has it. */
const USUAL_RUNS = 100;

/** So many of what all inputs would bring. */
export const portion = (ofAll: number): number => Math.floor(ofAll / EACH);

export function assert<Ts>(property: IAsyncProperty<Ts>, parameters?: Parameters<Ts>): Promise<void>;
export function assert<Ts>(property: IProperty<Ts>, parameters?: Parameters<Ts>): void;
export function assert<Ts>(
  property: IAsyncProperty<Ts> | IProperty<Ts>,
  parameters: Parameters<Ts> = {},
): Promise<void> | void {
  return hold(property, { ...parameters, numRuns: runsOf(parameters.numRuns ?? USUAL_RUNS) });
}

const runsOf = (all: number): number => Math.max(Math.min(all, USUAL_RUNS), Math.ceil(all / EACH));
