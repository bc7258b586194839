import type { Capabilities } from "../contract/capabilities.ts";
import type { OptionalKind } from "../contract/ops.ts";
import type { RoomLimits } from "../contract/session.ts";
import { readableSize } from "../lib/readable-size.ts";
import type { Here, Narrowing, Planned } from "./planned.ts";

/** What a room allows of what its network can do. */

export function can(kind: OptionalKind, { without }: Pick<Narrowing, "without">, { ops }: OpsOf): boolean {
  return ops[kind] === "native" && !without.includes(kind);
}

type OpsOf = Pick<Capabilities, "ops">;

/** Whether this emoji can be put on. */
export function canReact(emoji: string, room: Narrowing, capabilities: OpsOf): boolean {
  const { reactions } = room.limits;
  if (!can("react", room, capabilities)) return false;
  return reactions === undefined || reactions.some((allowed) => sameEmoji(allowed, emoji));
}

/** Networks differ in whether they write the sign that asks for a picture. */
function sameEmoji(one: string, other: string): boolean {
  return one === other || one.replaceAll(PICTURE_SIGN, "") === other.replaceAll(PICTURE_SIGN, "");
}

const PICTURE_SIGN = "\u{fe0f}";

/** Whether the message can no longer be edited. It was said here a little later than accepted: we err on that side. */
export function isTooOld({ ageMs, limits }: Pick<Here, "ageMs" | "limits">): boolean {
  return ageMs !== null && limits.editWithinMs !== undefined && ageMs >= limits.editWithinMs;
}

/** Why a file cannot be shared there, for people; null when it can, as far as is known. */
export function tooLarge(bytes: number | null, { fileBytesMax: max }: RoomLimits): string | null {
  if (bytes === null || max === undefined || bytes <= max) return null;
  return `files of more than ${readableSize(max)} are not accepted here`;
}

/** An op that carries text says how much of it fits into one part, where that is less than usual. */
export function withTextMax(planned: Planned, { textMax }: RoomLimits, { limits }: Capabilities): Planned {
  if (textMax === undefined || textMax >= limits.textMax || planned.is === "omitted") return planned;
  const { op } = planned;
  return "body" in op ? { ...planned, op: { ...op, textMax } } : planned;
}
