import type { GuestReport, HeldMessage } from "../contract/guests.ts";
import type { Alert } from "./views.ts";

/** Something that a guest has said or reports, and where. */
interface Matter extends Pick<HeldMessage & GuestReport, "channel" | "atMs"> {
  readonly account: string;
}

export interface GuestMatters {
  readonly held: readonly Matter[];
  readonly reports: readonly Matter[];
}

const REMEDY = 'See to it on the page "Access".';

/** What waits for a person although all is well: nothing that guests said, only how much. Pure. */
export function noticesOf({ held, reports }: GuestMatters): readonly Alert[] {
  return [
    ...byRoom(
      held,
      (count) => `${count === 1 ? "1 message of a guest waits" : `${count} messages of guests wait`} for approval`,
    ),
    ...byRoom(reports, (count) => `${count === 1 ? "1 report of a guest is" : `${count} reports of guests are`} open`),
  ];
}

function byRoom(all: readonly Matter[], words: (count: number) => string): readonly Alert[] {
  const rooms = Map.groupBy(all, ({ account, channel }) => `${account} ${channel}`);
  return Array.from(rooms, ([of, some]) => {
    return { of, what: words(some.length), remedy: REMEDY, sinceMs: Math.min(...some.map(({ atMs }) => atMs)) };
  });
}
