import type { Clock } from "../contract/host.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { Session } from "../contract/session.ts";
import { within } from "./deadline.ts";

/** How long a network may take to list its rooms, and how many of them are told. */
const LIST_MS = 10_000;
const ROOMS_MAX = 500;

export interface ListOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** Channels that a bridge could have, as the configuration writes them, to choose from. Never rejects. */
export async function listRooms(
  session: Pick<Session, "rooms">,
  { channel: rule }: Pick<Manifest, "channel">,
  { clock, signal }: ListOptions,
): Promise<readonly string[]> {
  const deadline = { clock, ms: LIST_MS, ...(signal !== undefined && { signal }) };
  const listed = await within(deadline, async (limit) => (await session.rooms?.(limit)) ?? []).catch(() => NONE);
  if (listed.late) return [];
  const pattern = new RegExp(rule?.pattern ?? "", "u");
  const names = new Set(listed.value.filter((name) => name !== "" && pattern.test(name)));
  return [...names].slice(0, ROOMS_MAX).toSorted((one, other) => one.localeCompare(other, "en"));
}

const NONE = { late: true } as const;
