import type { Manifest } from "../contract/manifest.ts";
import { manifest as api } from "./api/index.ts";

/** Every protocol of this program, by name. A test holds it equal to the folders beside this file. */
export const protocols: ReadonlyMap<string, Manifest> = new Map([api].map((manifest) => [manifest.protocol, manifest]));
