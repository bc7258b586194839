import type { Clock } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import { isNotThere } from "./refusals.ts";
import type { Requests } from "./requests.ts";
import type { XmppRoom } from "./room.ts";
import type { XmppRooms } from "./rooms.ts";
import { NS } from "./ns.ts";
import { el } from "./xml.ts";

/**
 * How long the server may be silent before it is asked; then how long until it is in doubt, and until it is given up.
 */
const SILENT_MS = 60_000;
const DOUBT_MS = 20_000;
const DEAD_MS = 90_000;
/** How long nothing may be seen of a room before we look whether we are in it (XEP-0410). */
const ROOM_SILENT_MS = 5 * 60_000;

interface LivenessOptions {
  readonly clock: Clock;
  readonly requests: Requests;
  readonly rooms: XmppRooms;
  /** Asks the server for a sign of life, of whatever kind. */
  readonly probe: () => void;
  readonly onDoubt: (why: Reason | null) => void;
  readonly onDead: (why: Reason) => void;
}

/** Whether the server lives, by anything that comes from it, and whether we are in our rooms. */
export class XmppLiveness {
  readonly #options: LivenessOptions;
  #cancel: () => void = () => undefined;
  #asked = false;
  #inDoubt = false;
  #reading = true;
  #last = 0;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  start(): void {
    this.#after(SILENT_MS, () => this.#silent());
  }

  stop(): void {
    this.#cancel();
  }

  /** Something came. */
  seen(): void {
    if (this.#asked || this.#inDoubt) {
      this.#asked = false;
      if (this.#inDoubt) this.#options.onDoubt(null);
      this.#inDoubt = false;
      this.start();
    }
    this.#last = this.#options.clock.monoMs();
  }

  /** While we do not read, silence means nothing. */
  reading(reading: boolean): void {
    this.#reading = reading;
    this.#last = this.#options.clock.monoMs();
  }

  #silent(): void {
    const { clock, probe } = this.#options;
    const quietMs = clock.monoMs() - this.#last;
    this.#look();
    if (!this.#reading || quietMs < SILENT_MS) {
      this.#after(this.#reading ? SILENT_MS - quietMs : SILENT_MS, () => this.#silent());
      return;
    }
    this.#asked = true;
    probe();
    this.#after(DOUBT_MS, () => this.#doubt());
  }

  #doubt(): void {
    this.#inDoubt = true;
    this.#options.onDoubt({ code: "timeout", message: "the server does not answer" });
    this.#after(DEAD_MS - DOUBT_MS, () =>
      this.#options.onDead({ code: "timeout", message: `the server has not answered for ${DEAD_MS / 1000} seconds` }),
    );
  }

  /** One room at a time, the one that is silent for longest. */
  #look(): void {
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

  #after(ms: number, task: () => void): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(ms, task);
  }
}
