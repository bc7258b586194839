import { Descriptors } from "./descriptors.ts";

/** Enough for everybody. */
export const ampleDescriptors = (): Descriptors =>
  new Descriptors({ limit: Infinity, reserved: 0, nowMs: () => 0, onShort: () => undefined });
