import type { Reason } from "../../contract/outcome.ts";
import { remedyOf } from "../remedies.ts";
import type { ChannelStatus, LaneStatus } from "../status.ts";
import type { JoinedLane } from "./channel.ts";

/** A channel with its lanes, each as it says itself. */
export async function withLanes(
  channel: Omit<ChannelStatus, "lanes">,
  lanes: readonly Pick<JoinedLane, "status">[],
  paced: Reason | null,
): Promise<ChannelStatus> {
  const statuses = await Promise.all(lanes.map(async (lane) => await lane.status()));
  return { ...channel, lanes: statuses.map((lane) => mended(lane, channel, paced)) };
}

/**
 * A lane that waits for its channel has the channel's reason: what fixes that one fixes the lane. One that sends knows
 * none, but the session may hold back what it was given.
 */
function mended(
  lane: LaneStatus,
  { why, remedy }: Pick<ChannelStatus, "why" | "remedy">,
  paced: Reason | null,
): LaneStatus {
  if (lane.state === "sending" && lane.why === null) return { ...lane, why: paced, remedy: remedyOf("lane", paced) };
  return lane.why !== null && lane.why.message === why?.message ? { ...lane, remedy } : lane;
}
