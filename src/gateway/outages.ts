import { EventLabel } from "../contract/message.ts";
import type { ReasonCode } from "../contract/outcome.ts";
import type { Known, NewEntry, Subject } from "../log/log.ts";
import { aboutEdit, authorKey } from "./acts.ts";
import type { Stored } from "./codec.ts";
import { nameLine } from "./fallback.ts";
import { OWN_NAME, ownEntry, type OwnWords } from "./own-entry.ts";
import { subjectOf } from "./subject.ts";
import { gapOf, momentOf } from "./moments.ts";

/**
 * That a place is out of reach goes into the log as from an account that no configuration can have: no protocol has
 * this name. Each place has a subject of its own there, which the rooms that have to do with it read. That it is back
 * is an edit of that.
 */
const OUTAGES = "rialto.outage";

/** Where it is said that this place is out of reach. */
export function outageSubject(place: Subject): Subject {
  return subjectOf(OUTAGES, place);
}

/** Whether an entry says that a place is out of reach, or back. */
export function isOutage({ message }: Pick<Stored, "message">): boolean {
  return message.account === OUTAGES;
}

/** A place that is out of reach. */
export interface Outage {
  readonly place: Subject;
  /** For people: the account and the channel. */
  readonly account: string;
  readonly channel: string;
  /** Unix ms; tells this outage from others of the place. */
  readonly sinceMs: number;
  /** Why; only its words are shown, nothing that a network said. */
  readonly code: ReasonCode | null;
  /** Something goes there. */
  readonly takes: boolean;
}

/** By what the outage's entry is found again, at `outageSubject`. */
export const outageRef = ({ sinceMs }: Pick<Outage, "sinceMs">): string => String(sinceMs);

export function outageEntry(outage: Outage, nowMs: number): NewEntry {
  const { sinceMs, code, takes } = outage;
  const reason = code === null ? "" : ` (${REASONS[code]})`;
  const kept = takes ? " Messages for it are kept and delivered when it is back." : "";
  const text = `${nameOf(outage)} has been out of reach since ${momentOf(sinceMs, nowMs)}${reason}.${kept}`;
  const said = { refs: [outageRef(outage)], author: authorKey(OUTAGES, null), name: OWN_NAME, excerpt: text };
  return {
    ...entryOf(outage, { text, label: EventLabel.outage, nowMs, about: null }),
    key: `${outage.place} ${sinceMs}`,
    note: { is: "said", ...said },
  };
}

/** `entry`: of the outage; `waited`: how many messages waited for it, null: nobody knows. */
export function backEntry(outage: Outage, entry: Known, waited: number | null, nowMs: number): NewEntry {
  const many = waited === 1 ? "1 message" : `${waited} messages`;
  const rest = waited === null || waited === 0 || !outage.takes ? "" : `; ${many} waited`;
  const text = `${nameOf(outage)} was out of reach ${gapOf(outage.sinceMs, nowMs)}${rest}.`;
  return {
    ...entryOf(outage, { text, label: EventLabel.outageOver, nowMs, about: aboutEdit(entry) }),
    key: `${outage.place} ${outage.sinceMs} over`,
    note: { is: "revised", of: entry.seq, refs: [], excerpt: text },
  };
}

/** Of how many characters a name may be, and what it may hold, is what holds for the names of people. */
const nameOf = ({ account, channel }: Outage): string => `${nameLine(account)} ${nameLine(channel)}`;

function entryOf({ place, channel }: Outage, words: OwnWords): Omit<NewEntry, "key"> {
  return ownEntry({ account: OUTAGES, channel, subject: outageSubject(place) }, words);
}

const REASONS: Readonly<Record<ReasonCode, string>> = {
  rate_limited: "it asks Rialto to wait",
  network: "no connection",
  timeout: "no answer",
  auth: "the login is refused",
  config: "its settings are wrong",
  forbidden: "Rialto is not allowed in",
  not_found: "it is not there",
  too_large: "it refuses Rialto",
  unsupported: "it cannot be used",
  bad_content: "it refuses Rialto",
  remote_error: "an error on its server",
  stopping: "no connection",
  bug: "an error in Rialto",
};
