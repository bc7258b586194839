import type { ChannelRef } from "../contract/ids.ts";

/** In place of a name: the session ended before anybody knew which channel it was. The next session may know. */
export const UNSETTLED = Symbol("unsettled");

/** The name of a channel in the configuration; null: it has none there. Undefined: that is not settled yet. */
export type NameOf = (channel: ChannelRef) => string | null | undefined | typeof UNSETTLED;
