import { type Access, maySee } from "../../../access/access.ts";
import type { Config } from "../../../config/config.ts";
import type { Account } from "../../../config/config.ts";
import type { Routes } from "../../../gateway/routes.ts";
import { accountOf } from "../../../gateway/subject.ts";
import type { Known } from "../../../log/log.ts";
import type { PostPlace } from "../../api/acting.ts";
import { list, shorten } from "../../api/posting-refusal.ts";
import { ProblemError } from "../problems.ts";

interface Scene {
  readonly account: Account;
  readonly routes: Pick<Routes, "posting" | "seen">;
}

/** Gateways of the account that the caller sees, in the order of the configuration. */
export function gatewaysSeen({ key }: Account, access: Access, { gateways }: Config): readonly string[] {
  return gateways
    .filter(({ name, bridges }) => maySee(access, name) && bridges.some(({ account }) => account === key))
    .map(({ name }) => name);
}

/**
 * Where something is said to this gateway. Throws a ProblemError: `not_found` with the right names, `forbidden` where
 * the account only receives.
 */
export function placeOf(gateway: string, access: Access, scene: Scene, config: Config): PostPlace {
  const posting = scene.routes.posting(scene.account.key, gateway);
  if (gateway === "" || !maySee(access, gateway) || posting.is === "unknown" || posting.is === "ambiguous") {
    const names = list(gatewaysSeen(scene.account, access, config));
    throw new ProblemError(
      "not_found",
      `there is no gateway "${shorten(gateway)}" for this caller; there are: ${names}`,
    );
  }
  if (posting.is === "receive-only") {
    const remedy = "list it under inout (or in) there to let it send";
    throw new ProblemError("forbidden", `this account may only receive in gateway "${gateway}"; ${remedy}`);
  }
  return { gateway, subject: posting.subject };
}

export const isOwn = ({ subject }: Known, { account }: Pick<Scene, "account">): boolean =>
  accountOf(subject) === account.key;

/** The gateways in which the caller sees this message; none: it does not. */
export function gatewaysOf({ subject }: Pick<Known, "subject">, access: Access, scene: Scene): readonly string[] {
  const seen = scene.routes.seen(scene.account.key).get(subject)?.gateways ?? [];
  return seen.map(({ name }) => name).filter((name) => maySee(access, name));
}

/**
 * Throws a ProblemError `forbidden` for a message of a room that is also in gateways that the caller does not see: it
 * has one entry and stands once in its own room, so it goes for all of them or for none.
 */
export function checkWhole({ subject, seq }: Known, access: Access, scene: Scene): void {
  const seen = scene.routes.seen(scene.account.key).get(subject)?.gateways ?? [];
  if (seen.every(({ name }) => maySee(access, name))) return;
  const detail = `message ${seq} is in gateways that this token does not see as well, and would be deleted there, too`;
  throw new ProblemError("forbidden", `${detail}: a token for all gateways can delete it`);
}

/**
 * Where something is said about this message so that all hear it who have it, as far as the caller may. Throws a
 * ProblemError `forbidden` when that is nowhere.
 */
export function placesAbout(target: Known, access: Access, scene: Scene): readonly PostPlace[] {
  const places = gatewaysOf(target, access, scene).flatMap((gateway) => {
    const posting = scene.routes.posting(scene.account.key, gateway);
    return posting.is === "ok" ? [{ gateway, subject: posting.subject }] : [];
  });
  if (places.length > 0) return places;
  throw new ProblemError("forbidden", "this account may only receive in the gateways that have this message");
}
