import type { Clock } from "../contract/host.ts";
import type { Loss, Outcome, Why } from "../contract/outcome.ts";
import type { Receipt } from "../log/log.ts";
import { type Endings, FATES } from "./endings.ts";
import type { Meter, MeteredLane } from "./meter.ts";
import type { Outage } from "./outage.ts";
import type { Recorder } from "./recorder.ts";
import type { Run } from "./runs.ts";
import type { Decision, Wait } from "./settle.ts";
import type { Waits } from "./waits.ts";
import type { Item, Window } from "./window.ts";

interface ResultsOptions {
  readonly clock: Clock;
  readonly window: Window;
  readonly recorder: Recorder;
  readonly endings: Endings;
  readonly outage: Outage;
  readonly waits: Waits;
  readonly meter: Meter;
  readonly metered: MeteredLane;
}

/** Carries out what was decided about messages: they wait again, or they have come to their end. */
export class Results {
  readonly #options: ResultsOptions;

  constructor(options: ResultsOptions) {
    this.#options = options;
  }

  /** Of a handler call that has ended. */
  ended(run: Run, outcome: Outcome, decision: Decision): void {
    if (decision.is === "retry") this.#retry(run, decision);
    else this.#conclude(run, outcome, decision);
  }

  hold({ item, outlet, attempt }: Run, wait: Wait, why: Why): void {
    // A deferral that our own refusal brought about knows nothing of the network; what made us refuse says when to go on.
    const asked: Wait = attempt.refused && wait.for !== "backoff" ? { for: "channel", ms: 0 } : wait;
    this.#options.waits.hold(outlet, asked, item.attempts, why);
  }

  finish(item: Item, state: Receipt["state"], why: Why | null, losses: readonly Loss[] = []): void {
    const { clock, window, recorder, endings, waits, outage, meter, metered } = this.#options;
    window.finish(item);
    const isPartly = state !== "failed" && item.unconfirmed !== null;
    // That a part is not confirmed was said when it came to that.
    if (isPartly) endings.keep(item, { state: "unconfirmed", why: item.unconfirmed, losses });
    else endings.record(item, { state, why, losses });
    meter.ended(metered, isPartly ? "unconfirmed" : state, Math.max(0, clock.nowMs() - item.at));
    recorder.changed();
    const fate = FATES.get(state);
    if (fate !== undefined) for (const change of item.folded) this.finish(change, fate, why);
    if (state !== "sent") return;
    waits.over();
    outage.progress();
  }

  #retry({ item, startedMs }: Run, { resume, why, unconfirmed, doubt }: Extract<Decision, { is: "retry" }>): void {
    item.state = "ready";
    item.resumeAt(resume);
    if (doubt) item.doubt ??= { sinceMs: startedMs, why };
    if (unconfirmed) {
      item.unconfirmed = why;
      this.#options.endings.record(item, { state: "unconfirmed", why, losses: [] });
    }
    // Also when nothing is in doubt: the intent on disk must not say otherwise.
    this.#options.recorder.changed();
  }

  #conclude({ item, losses }: Run, outcome: Outcome, { state, why }: Extract<Decision, { is: "finish" }>): void {
    const receipt = outcome.is === "delivered" ? outcome.receipt : null;
    if (receipt !== null && item.op?.kind === "edit") item.messages = receipt.messages;
    else item.addMessages(receipt?.messages ?? []);
    this.finish(item, state, why, [...losses, ...(receipt?.losses ?? [])]);
  }
}
