import type { Progress } from "../contract/ids.ts";
import { EventLabel } from "../contract/message.ts";
import { laneName } from "../delivery/lanes.ts";
import type { AccountStatus } from "../delivery/status.ts";
import { againEntry, isUnfinished, withContentOf } from "../gateway/again.ts";
import { type Again, decodeStored, type Stored } from "../gateway/codec.ts";
import type { Routes, Target } from "../gateway/routes.ts";
import type { Batch, Log, Receipt, Seq, StoredEntry } from "../log/log.ts";
import type { LogSearch } from "../log/search.ts";
import { UnknownOutcome } from "../log/unknown-outcome.ts";
import { AGAIN_MAX, type Destinations, detailOf, UNREADABLE } from "./destinations.ts";
import type { Destination } from "./views.ts";

export interface ResendRequest {
  readonly seq: Seq;
  /** As `Destination` names it. */
  readonly gateway: string;
  readonly account: string;
  readonly channel: string;
  /** Whoever asks knows that it may be there already, and then comes twice. */
  readonly mayDouble: boolean;
  readonly once: OnceName | null;
}

type OnceName = Pick<NonNullable<Batch["once"]>, "key" | "fingerprint">;

/** `message`: why not, for people. */
export type ResendResult =
  | { readonly is: "taken" }
  | { readonly is: "unknown"; readonly message: string }
  | { readonly is: "refused"; readonly message: string }
  /** The key was used for something else. */
  | { readonly is: "mismatch" };

/** A destination as people type it. */
export interface TypedDestination {
  /** `account`, or `account/channel`. */
  readonly destination: string;
  /** Null: whichever there is. */
  readonly gateway: string | null;
}

/** As `ResendRequest`, with the destination as people type it. */
export interface TypedResend extends TypedDestination, Pick<ResendRequest, "seq" | "mayDouble"> {}

export type TypedResult =
  | ({ readonly is: "taken" } & Pick<Destination, "gateway" | "account" | "channel">)
  | Exclude<ResendResult, { readonly is: "taken" | "mismatch" }>;

export const UNKNOWN = { is: "unknown", message: "the log knows no message of this number" } as const;

export interface ResendOptions {
  readonly log: Pick<Log, "append" | "ids">;
  readonly archive: Pick<LogSearch, "entry" | "receiptsOf" | "standing">;
  readonly routes: Routes;
  readonly accounts: () => Promise<readonly AccountStatus[]>;
  readonly destinations: () => Promise<Destinations>;
}

/** Owner of the keys in the log. */
const OWNER = "rialto.again";
const TAKEN = "taken";

const refused = (message: string): ResendResult => ({ is: "refused", message });

/**
 * Has destinations send a message again that did not arrive there. One request after the other: of two presses at once,
 * the second one sees what the first has done.
 */
export class Resender {
  readonly #options: ResendOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ResendOptions) {
    this.#options = options;
  }

  /** Resolves once it is durable; rejects with the log's LogError. */
  send(request: ResendRequest): Promise<ResendResult> {
    const result = this.#last.then(async () => await this.#send(request));
    // What may be stored is waited for: the next one would not see it.
    this.#last = result.catch(async (error: unknown) => {
      if (error instanceof UnknownOutcome) await error.settled;
    });
    return result;
  }

  async #send(request: ResendRequest): Promise<ResendResult> {
    const { log } = this.#options;
    const { once } = request;
    const before =
      once === null ? null : await log.append({ account: OWNER, entries: [], once: { ...once, answer: null } });
    if (before?.is === "repeated") return { is: "taken" };
    if (before?.is === "conflict") return { is: "mismatch" };
    const wanted = await this.#wanted(request);
    if ("is" in wanted) return wanted;
    const { target, stored, again } = wanted;
    const entries = [againEntry(target, stored, again)];
    await log.append({ account: OWNER, entries, ...(once !== null && { once: { ...once, answer: TAKEN } }) });
    return { is: "taken" };
  }

  /** What is to be sent, or why nothing is. */
  async #wanted(request: ResendRequest): Promise<Wanted | ResendResult> {
    const { archive, log, routes } = this.#options;
    const { seq } = request;
    const [entry, known] = [await archive.entry(seq), await log.ids.get(seq)];
    if (entry === null) {
      if (known === null) return UNKNOWN;
      return refused("the log has let go of the message: nobody knows its words any more");
    }
    const stored = decodeStored(entry.payload);
    const target = routes.targets(entry.subject).find((each) => isMeant(each, request));
    const why = flawOf(entry, stored) ?? (known?.gone === true ? "the message was deleted" : null);
    if (why !== null) return refused(why);
    if (target === undefined) return refused("the configuration has no such destination for this message any more");
    if (target.account.protocol === "api") return refused("readers of the API fetch what they want by themselves");
    const account = (await this.#options.accounts()).find(({ key }) => key === target.account.key);
    if (account?.state === "paused") return refused(`${target.account.name} is paused: resume it, then send it again`);
    return await this.#point({ entry, stored, target }, request);
  }

  /** From where it goes on, by what the log says of it and its newest edit. */
  async #point({ entry, stored, target }: Case, { mayDouble }: ResendRequest): Promise<Wanted | ResendResult> {
    const { archive, log } = this.#options;
    const { seq } = entry;
    const lane = laneName(target);
    const destinations = await this.#options.destinations();
    // Before the receipts: what ends in between has one.
    const pending = await destinations.pending(target);
    if (pending === null) return refused(UNREADABLE);
    if (pending.has(seq)) return refused("it is being sent again already");
    if (pending.size >= AGAIN_MAX) return refused(`${AGAIN_MAX} messages wait there to be sent again: wait for them`);
    const receipts = await archive.receiptsOf(seq);
    const state = await stateAt(destinations, target, entry, receipts);
    const receipt = receipts.find((each) => each.lane === lane);
    if (receipt === undefined || state !== receipt.state || !isUnfinished(state)) {
      return refused(`it is not failed, expired or unconfirmed there, but ${state}`);
    }
    if (state === "unconfirmed" && !mayDouble) {
      return refused(
        "it may be there already and would come twice: say that you know that, with may_double (rialto resend: --may-double)",
      );
    }
    const { from = null, gap = false, messages = [] } = detailOf(receipt);
    if (gap) return refused("a part in its middle is in doubt, and what follows that is there");
    if (from === null && messages.length > 0) return refused("nobody knows how much of it is there");
    const copies = await log.ids.refs(seq, lane);
    const isOtherwise = copies.length !== messages.length || copies.some((ref, at) => ref !== messages[at]);
    if (isOtherwise) return refused("a later edit of it is there already");
    return await this.#asItReads({ entry, stored, target }, { of: seq, from, messages }, state);
  }

  async #asItReads(
    { entry, stored, target }: Case,
    again: Again & { readonly from: Progress | null },
    state: Destination["state"],
  ): Promise<Wanted | ResendResult> {
    const { archive } = this.#options;
    const [standing] = await archive.standing([entry.seq]);
    const revised = standing?.revised ?? null;
    const edit = revised === null ? null : await archive.entry(revised);
    if (edit === null) return { target, stored, again };
    if (again.from !== null) return refused("a part of it is there, and it was edited since");
    const at = await stateAt(await this.#options.destinations(), target, edit, await archive.receiptsOf(edit.seq));
    if (ARRIVED.has(at) || (at === "unconfirmed" && state !== "unconfirmed")) {
      return refused(`a later edit of it, no. ${edit.seq}, is there already`);
    }
    if (at === "waiting" || at === "sending")
      return refused(`a later edit of it, no. ${edit.seq}, is on its way there`);
    return { target, stored: withContentOf(decodeStored(edit.payload), stored), again };
  }
}

const ARRIVED: ReadonlySet<Destination["state"]> = new Set(["sent", "settled"]);

interface Case {
  readonly entry: StoredEntry;
  readonly stored: Stored;
  readonly target: Target;
}

interface Wanted {
  readonly target: Target;
  readonly stored: Stored;
  readonly again: Again;
}

function isMeant({ gateway, account, channel }: Target, request: ResendRequest): boolean {
  const isAccount = account.name.toLowerCase() === request.account.toLowerCase();
  return gateway === request.gateway && isAccount && channel === request.channel;
}

/** What is no message by itself, or is true only for a time. */
function flawOf({ label }: Pick<StoredEntry, "label">, { about }: Stored): string | null {
  if (label === EventLabel.again) return "this is the wish to send another message again: send that one";
  const isMessage = about === null || about.is === "reply";
  return isMessage && !PASSING.has(label) ? null : "only messages are sent again, and this is what happened to a room";
}

const PASSING: ReadonlySet<string> = new Set([EventLabel.topic, EventLabel.outage, EventLabel.outageOver]);

async function stateAt(
  destinations: Destinations,
  target: Target,
  { seq, subject, label }: StoredEntry,
  receipts: readonly Receipt[],
): Promise<Destination["state"]> {
  const rows = await destinations.of({ seq, subject, label, gone: false }, receipts);
  const { gateway, account, channel } = target;
  const isRow = (row: Destination): boolean =>
    row.gateway === gateway && row.account === account.name && row.channel === channel;
  return rows.find(isRow)?.state ?? "unknown";
}
