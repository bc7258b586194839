import { hostname } from "node:os";
import type { OwnNames } from "../http/own-host.ts";
import { parseAddress } from "../lib/address.ts";

/** What a server may be called that listens on a BindAddress. */
export function namesOf(bindAddress: string, allowed: () => readonly string[]): () => OwnNames {
  const address = parseAddress(bindAddress);
  const bound = "error" in address ? "" : address.host;
  const machine = hostname();
  return () => ({ bound, machine, allowed: allowed() });
}
