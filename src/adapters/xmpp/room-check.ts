import type { Clock } from "../../contract/host.ts";
import { isNotThere } from "./refusals.ts";
import type { Requests } from "./requests.ts";
import type { XmppRoom } from "./room.ts";
import type { XmppRooms } from "./rooms.ts";
import { NS } from "./ns.ts";
import { el } from "./xml.ts";

/** How long nothing may be seen of a room before we look whether we are in it (XEP-0410). */
const ROOM_SILENT_MS = 5 * 60_000;

interface RoomCheckOptions {
  readonly clock: Pick<Clock, "monoMs">;
  readonly requests: Requests;
  readonly rooms: XmppRooms;
}

/** Whether we are in our rooms. */
export class RoomCheck {
  readonly #options: RoomCheckOptions;

  constructor(options: RoomCheckOptions) {
    this.#options = options;
  }

  /** One room at a time, the one that is silent for longest. */
  look(): void {
    const { clock, rooms } = this.#options;
    const before = clock.monoMs() - ROOM_SILENT_MS;
    const quiet = rooms.entered.filter(({ seenAtMs }) => seenAtMs <= before);
    const room = quiet.sort((one, other) => one.seenAtMs - other.seenAtMs)[0];
    if (room !== undefined) void this.#check(room);
  }

  async #check(room: XmppRoom): Promise<void> {
    const { clock, requests, rooms } = this.#options;
    const { entry } = room;
    room.seenAtMs = clock.monoMs();
    const answer = await requests.ask("get", `${room.jid}/${room.ownNick}`, el("ping", { xmlns: NS.ping }));
    // Any other error is the answer of a client of ours that knows no pings: then we are there (XEP-0410 §3.2).
    if (answer.ok || room.entry !== entry || !isNotThere(answer.error)) return;
    rooms.lose(room, { code: "network", message: "the room dropped Rialto without saying so" }, 0);
  }
}
