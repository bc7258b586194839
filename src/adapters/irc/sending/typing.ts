import type { ChannelRef } from "../../../contract/ids.ts";
import type { TypingDisplay } from "../../../contract/session.ts";
import type { Channels } from "../channels/channels.ts";
import type { ConnectionContext } from "../link.ts";
import { passesClientTag } from "../wire/isupport.ts";
import type { Flow } from "./flow.ts";

/** How long clients show that somebody types, by the specification, in ms. */
export const TYPING_MS = 6_000;
const TYPING_TAG = "typing";
const LABELS = "labeled-response";

interface TypingOptions {
  readonly link: ConnectionContext;
  readonly flow: Pick<Flow, "isIdle">;
  readonly channels: Pick<Channels, "refOf">;
}

/** Says that we type by tags (IRCv3 "typing client tag"), while the server has taken all our lines and owes us none. */
export class IrcTyping implements TypingDisplay {
  readonly lastsMs = TYPING_MS;
  readonly #options: TypingOptions;
  #isOver = false;

  constructor(options: TypingOptions) {
    this.#options = options;
  }

  show(channel: ChannelRef, on: boolean): void {
    const { link, flow, channels } = this.#options;
    const target = channels.refOf(channel);
    if (this.#isOver || target === null || !flow.isIdle || !link.pacer.isIdle) return;
    if (!link.has("message-tags") || !passesClientTag(link.isupport, TYPING_TAG)) return;
    // Without a label, a refusal of it could seem to mean the message after it.
    const label: readonly [string, string][] = link.has(LABELS) ? [["label", TYPING_TAG]] : [];
    link.send("TAGMSG", [target], new Map([...label, [`+${TYPING_TAG}`, on ? "active" : "done"]]));
  }

  end(): void {
    this.#isOver = true;
  }
}
