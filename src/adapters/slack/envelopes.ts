import { type Json, objectIn, textIn } from "../kit/json.ts";
import type { SlackEnvelope } from "./socket.ts";

/** Events that are known when they come again, for which Slack takes some minutes. */
const KNOWN_MAX = 20_000;

/** What happened, told once however often it came. */
export interface SlackEvent {
  /** The same when it comes again. */
  readonly id: string;
  /** Such as `message`. */
  readonly type: string;
  readonly event: Json;
  /** Of the workspace that is told. */
  readonly team: string;
  /** In a channel that workspaces share. */
  readonly external: boolean;
  /** To be called once what it told is durable, or of no interest: otherwise Slack tells it again. */
  readonly done: () => void;
}

interface EnvelopesOptions {
  readonly onEvent: (event: SlackEvent) => void;
  /** Slack has left events out. */
  readonly onLeftOut: () => void;
}

interface Acknowledging {
  acknowledge(envelope: string): void;
}

interface Known {
  /** Envelopes of the event that wait for it to be durable; null: it is. */
  waiting: { readonly id: string; readonly socket: Acknowledging }[] | null;
}

/** Events out of their envelopes, of which one event may have several, on several connections. */
export class SlackEnvelopes {
  readonly #options: EnvelopesOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: EnvelopesOptions) {
    this.#options = options;
  }

  take({ id, type, payload }: SlackEnvelope, socket: Acknowledging): void {
    const event = objectIn(payload, "event");
    const kind = textIn(event, "type") ?? "";
    if (type !== "events_api" || kind === "") {
      socket.acknowledge(id);
      if (payload["type"] === "app_rate_limited") this.#options.onLeftOut();
      return;
    }
    const eventId = textIn(payload, "event_id") || id;
    const known = this.#known.get(eventId);
    if (known?.waiting === null) return socket.acknowledge(id);
    if (known !== undefined) return void known.waiting.push({ id, socket });
    const fresh: Known = { waiting: [{ id, socket }] };
    this.#remember(eventId, fresh);
    const done = (): void => {
      for (const { id, socket } of fresh.waiting ?? []) socket.acknowledge(id);
      fresh.waiting = null;
    };
    const team = textIn(payload, "team_id") ?? "";
    const external = payload["is_ext_shared_channel"] === true;
    this.#options.onEvent({ id: eventId, type: kind, event, team, external, done });
  }

  /** The oldest of those that are done is forgotten. */
  #remember(id: string, known: Known): void {
    this.#known.set(id, known);
    if (this.#known.size <= KNOWN_MAX) return;
    for (const [old, { waiting }] of this.#known) {
      if (waiting !== null) continue;
      this.#known.delete(old);
      return;
    }
  }
}
