import type { GuestReport, HeldMessage } from "../contract/guests.ts";
import type { AccountStatus, LaneStatus } from "../delivery/status.ts";
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
export function noticesOf({ held, reports }: GuestMatters, accounts: readonly AccountStatus[]): readonly Alert[] {
  return [
    ...byRoom(
      held,
      (count) => `${count === 1 ? "1 message of a guest waits" : `${count} messages of guests wait`} for approval`,
    ),
    ...byRoom(reports, (count) => `${count === 1 ? "1 report of a guest is" : `${count} reports of guests are`} open`),
    ...accounts.flatMap(({ account, channels }) =>
      channels.flatMap(({ channel, lanes }) => lanes.flatMap((lane) => ofSetAside(account, channel, lane))),
    ),
  ];
}

/** Messages that a lane gave up so that the others could go on. */
function ofSetAside(account: string, channel: string, { gateway, setAside = [] }: LaneStatus): readonly Alert[] {
  const place = `${account}/${channel}`;
  const [first, last] = [setAside[0], setAside.at(-1)];
  if (first === undefined || last === undefined) return [];
  const count = setAside.length === 1 ? "1 message was" : `${setAside.length} messages were`;
  const what = `${count} set aside in gateway ${gateway}, the last one is no. ${last.seq}: ${last.why.message}`;
  const remedy = `"rialto explain ${last.seq}" shows what became of it, and "rialto resend ${last.seq} '${place}'" sends it once more.`;
  return [{ of: `${account} ${channel}`, what, remedy, sinceMs: first.atMs, seq: last.seq }];
}

function byRoom(all: readonly Matter[], words: (count: number) => string): readonly Alert[] {
  const rooms = Map.groupBy(all, ({ account, channel }) => `${account} ${channel}`);
  return Array.from(rooms, ([of, some]) => {
    return { of, what: words(some.length), remedy: REMEDY, sinceMs: Math.min(...some.map(({ atMs }) => atMs)) };
  });
}
