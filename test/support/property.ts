import { configureGlobal } from "fast-check";

/**
 * Properties get the same inputs in every run, so that a run of the same code ends the same way; `PROPERTY_SEED=2 npm
 * test` tries others.
 */
configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 1) });

export * from "fast-check";
