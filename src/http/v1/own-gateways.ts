import { type Access, maySee } from "../../access/access.ts";
import type { Gateway } from "../../config/config.ts";
import type { V1Deps } from "./deps.ts";
import { ProblemError } from "./problems.ts";

type Own = Pick<V1Deps, "account" | "config">;

/** Gateways that the account is in and the caller sees, in the order of the configuration. */
export function ownGateways(access: Access, { account, config }: Own): readonly Gateway[] {
  const { key } = account();
  return config().gateways.filter(
    ({ name, bridges }) => maySee(access, name) && bridges.some((bridge) => bridge.account === key),
  );
}

/** Throws `not_found`, which names those that there are; one that is not seen is one that is not there. */
export function ownGateway(access: Access, name: string, deps: Own): Gateway {
  const own = ownGateways(access, deps);
  const found = own.find((gateway) => gateway.name === name);
  if (found !== undefined) return found;
  const names = own.map((gateway) => gateway.name).join(", ");
  throw new ProblemError("not_found", `There is no gateway of this name here. There are: ${names || "none"}.`);
}
