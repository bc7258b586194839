import { EventLabel } from "../../contract/message.ts";
import type { Loss, Reason } from "../../contract/outcome.ts";
import type { Stored } from "../../gateway/codec.ts";
import { isOutage } from "../../gateway/outages.ts";
import type { Here, Narrowing, Needs } from "../../gateway/planned.ts";
import { canReact } from "../../gateway/room-limits.ts";
import { begin } from "./calls.ts";
import { coalesce, mustFollow, revised, togetherWith } from "./coalesce.ts";
import { isWithinReach } from "./doubts.ts";
import { finish, holdForLog } from "./endings.ts";
import { type Found, type Search, traceOf } from "./lookup.ts";
import { opIdOf } from "./options.ts";
import { awaitWrite, isRefusing, owesDecision } from "./records.ts";
import type { ChannelLink, Step } from "./state.ts";
import type { WindowItem } from "./window.ts";

/**
 * The way of one message from its turn to its handler.
 *
 *   ready ──▶ in a loop? ──▶ coalesced with what was said about it since ──nothing to look up──▶ called (or ended)
 *                                           └──▶ what was delivered is stored ──▶ found ──┘
 *
 * Most messages need nothing, and are planned at once. One that is being prepared is still ready: when the channel
 * goes, or an older one waits again, its turn comes once more.
 */

const UNREADABLE: Reason = {
  code: "bug",
  message: "The stored message cannot be turned into an op: this is a bug, see the log.",
};
const NOT_STORED: Reason = { code: "network", message: "The log does not store what has been delivered so far." };
const OVERTAKEN: readonly Loss[] = [{ what: "topic", note: "there was a newer topic before it could be set" }];
const TAKEN_BACK: readonly Loss[] = [{ what: "reaction", note: "the message was deleted before it was sent" }];

/** What the entry holds; null: it cannot be read, which was said. */
function read(step: Step, item: WindowItem): Stored | null {
  if (item.stored === undefined) item.stored = sound(step, item, () => step.state.setting.plan.read(item.payload));
  return item.stored;
}

/** It acts on a message or sends it again, or says how the rooms are, or becomes a topic. */
export function isChange(step: Step, item: WindowItem): boolean {
  const stored = read(step, item);
  if (stored === null) return false;
  const { about, again } = stored;
  const isAct = (about !== null && about.is !== "reply") || again !== undefined;
  return isAct || isOutage(stored) || setsTopic(step, item);
}

/** Whether it becomes the topic of the room, as that is joined now. */
function setsTopic(step: Step, item: WindowItem): boolean {
  const { link, setting } = step.state;
  if (item.label !== EventLabel.topic || link === null) return false;
  const stored = read(step, item);
  return stored !== null && setting.plan.setsTopic(stored, narrowing(item, link));
}

/** Whether it has to wait for what is under way, or for the log. */
export function mustWait(step: Step, item: WindowItem): boolean {
  if (owesDecision(step.state) || !isWithinReach(step.state, item)) return true;
  // One that is refused is said in words, in its place; and of two at once, either could be the last.
  if (step.state.calls.some((call) => call.item.op?.kind === "topic")) return true;
  const stored = read(step, item);
  if (stored === null || !namesAnother(stored)) return false;
  return isRefusing(step.state.records) || step.state.calls.some((call) => mustFollow(stored, call.item));
}

/** What it names has to be on the disk before it is looked up. */
const namesAnother = ({ about, again }: Stored): boolean => about !== null || again !== undefined;

/** It is in no loop. */
export function prepare(step: Step, item: WindowItem, link: ChannelLink): void {
  if (coalesceInto(step, item, link)) return;
  const { state, effects } = step;
  const own = read(step, item);
  const stored = own === null ? null : revised(own, item.coalesced);
  const needs =
    stored === null ? null : sound(step, item, () => state.setting.plan.needs(stored, narrowing(item, link)));
  if (stored === null || needs === null) return unreadable(step, item);
  if (isEmpty(needs) && !namesAnother(stored)) {
    return perform(step, item, link, stored, { ...NOTHING, ...narrowing(item, link) });
  }
  const begun = item.untouched ? null : item.here;
  const { seq, at } = item;
  const again = item.untouched ? (stored.again ?? null) : null;
  const search: Search = { seq, at, stored, needs, room: narrowing(item, link), begun, fetched: fetched(item), again };
  if (!namesAnother(stored)) {
    state.mode = { is: "preparing", item, until: "found", search };
    effects.push({ do: "look up", search });
  } else if (awaitWrite(step, { for: "search", search })) {
    // What was delivered before this one must be on disk to be found.
    state.mode = { is: "preparing", item, until: "stored", search };
  } else later(step, NOT_STORED);
}

/** Goes on with a search once what was delivered is on the disk; with null when the log does not take it. */
export function searchStored(step: Step, search: Search, durable: boolean): Found | null {
  const { state, effects } = step;
  const { mode } = state;
  if (mode.is !== "preparing" || mode.until !== "stored" || mode.search !== search) return null;
  if (!durable) return { is: "later", why: NOT_STORED };
  state.mode = { ...mode, until: "found" };
  effects.push({ do: "look up", search });
  return null;
}

/** What is known for its op, of which what was found is kept for the next try, too. */
export function hereOf(item: WindowItem, { room }: Search, { here }: Found & { readonly is: "here" }): Here {
  return { ...here, together: togetherWith(item), ...room };
}

const narrowing = ({ inWords }: WindowItem, { without, limits }: ChannelLink): Narrowing => {
  return { without: inWords ? [...without, "topic"] : without, limits };
};

/** It is still its turn, and nothing was said about it meanwhile. */
export function prepared(step: Step, item: WindowItem, link: ChannelLink, search: Search, found: Found): void {
  switch (found.is) {
    case "here": {
      const { stored } = search;
      const said = found.about === stored.about ? stored : { ...stored, about: found.about };
      return perform(step, item, link, said, hereOf(item, search, found));
    }
    case "pointless":
      step.state.failures = 0;
      return finish(step, item, "omitted", null);
    case "pointless again":
      step.state.failures = 0;
      return finish(step, item, "cancelled", found.why);
    case "later":
      return later(step, found.why);
    case "broken":
      unsound(step, item, found.error);
      return unreadable(step, item);
  }
}

function perform(step: Step, item: WindowItem, link: ChannelLink, stored: Stored, here: Here): void {
  const { setting } = step.state;
  item.here = here;
  const planned = sound(step, item, () => setting.plan.op(stored, setting.gateway, here));
  if (planned === null) return unreadable(step, item);
  step.state.failures = 0;
  if (planned.is === "omitted") return finish(step, item, "omitted", null, planned.losses);
  // Not earlier: while others are before it, the disk would say that it was begun. So after a kill it may be in doubt,
  // and the disk says nothing of its parts.
  if (stored.again !== undefined && !item.isKnownInPart) item.goOnFrom(stored.again);
  begin(step, item, link, { ...planned, id: opIdOf(setting.name, item) });
}

function later(step: Step, why: Reason): void {
  step.state.failures += 1;
  holdForLog(step, step.state.failures, why);
}

function unreadable(step: Step, item: WindowItem): void {
  step.state.failures = 0;
  finish(step, item, "failed", UNREADABLE);
}

/** Takes into account what was said about it since; whether that was its end. */
export function coalesceInto(step: Step, item: WindowItem, link: ChannelLink): boolean {
  const { window, setting } = step.state;
  // Also one that may have been set, by an earlier run as well: it must not come back behind the newer one.
  if (setsTopic(step, item) && window.changesBehind(item).some((change) => setsTopic(step, change))) {
    finish(step, item, "omitted", null, OVERTAKEN);
    return true;
  }
  // What is there of one that is sent again has to fit what follows: it is changed when all of it is there.
  const isBegun = !item.untouched || (item.stored?.again?.from ?? null) !== null;
  if (isBegun || item.seq <= setting.newAfter) return false;
  const changes = window.changesBehind(item);
  for (const change of changes) read(step, change);
  const now = coalesce(item, changes, (emoji) => !canReact(emoji, link, setting.capabilities));
  if (now.is === "send") {
    if (now.by.length > item.coalesced.length) item.here = null;
    item.coalesced = now.by;
    return false;
  }
  if (now.is === "omit") {
    finish(step, item, "omitted", null, TAKEN_BACK);
    return true;
  }
  finish(step, item, "cancelled", null);
  for (const edit of now.edits) finish(step, edit, "cancelled", null);
  for (const deletion of now.deletes) finish(step, deletion, "omitted", null);
  return true;
}

function sound<T>(step: Step, item: WindowItem, make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    unsound(step, item, traceOf(error));
    return null;
  }
}

function unsound({ effects }: Step, { seq }: WindowItem, error: string): void {
  const message = "a stored message cannot be made into an op: this is a bug";
  effects.push({ do: "say", level: "error", fields: { seq, error }, message });
}

const NOTHING: Here = {
  about: [],
  thread: [],
  ageMs: null,
  standing: [],
  line: null,
  quoting: [],
  answers: [],
  together: [],
  files: [],
  avatar: null,
  without: [],
  limits: {},
};

/**
 * What was fetched for an earlier try; what did not come then may have come since, but what was begun stays as it
 * was.
 */
function fetched({ here, untouched }: WindowItem): Pick<Here, "files" | "avatar"> | null {
  if (here === null || here.files.length === 0) return null;
  return untouched && here.files.some(({ missing }) => missing !== null) ? null : here;
}

function isEmpty({ about, thread, standing, files, avatar }: Needs): boolean {
  return about === null && thread === null && !standing && files.length === 0 && avatar === null;
}
