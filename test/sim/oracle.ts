import type { Config } from "../../src/config/config.ts";
import type { Accepted } from "../../src/contract/host.ts";
import type { Op } from "../../src/contract/ops.ts";
import { decodeStored } from "../../src/gateway/codec.ts";
import { marksOf } from "../../src/delivery/lane/checkpoint.ts";
import { laneName } from "../../src/delivery/lanes.ts";
import { compileRoutes, type Routes } from "../../src/gateway/routes.ts";
import { subjectOf } from "../../src/gateway/subject.ts";
import type { Entry, Log, Seq, Subject } from "../../src/log/log.ts";
import { apisOf } from "./api.ts";
import type { Counts } from "./counts.ts";
import { logWith } from "./log-with.ts";
import { Reach, readerName } from "./reach.ts";
import type { Happening, NetFault, NetMessage, NetTraits } from "./server.ts";
import { describe, readOpId, type Token, tokensIn } from "./tokens.ts";

/** A lane as the configuration has it. */
export interface KnownLane {
  readonly name: string;
  readonly place: Subject;
  readonly subjects: ReadonlySet<Subject>;
  /** The least of all configurations so far. */
  readonly maxAgeMs: number;
  /** Whether any configuration so far leaves out what is late. */
  readonly leavesOut: boolean;
}

/** An entry of the log as the oracle read it. */
export interface KnownEntry {
  readonly seq: Seq;
  readonly at: number;
  readonly subject: Subject;
  readonly label: string;
  /** Of the text. */
  readonly token: Token | null;
  /** Number of the message it acts on. */
  readonly about: number | null;
}

/** A room of a network. */
interface Place {
  readonly net: string;
  readonly room: string;
}

export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

interface Arrival {
  readonly lane: string;
  readonly seq: Seq;
  readonly message: number | null;
}

/**
 * Sees all that is said, accepted and delivered, and says at once what must not be. It knows nothing of how the program
 * works.
 */
export class Oracle {
  readonly counts: Counts;
  readonly violations: Violation[] = [];
  readonly entries = new Map<Seq, KnownEntry>();
  /** Those of the configuration that the program runs with. */
  inForce: readonly KnownLane[] = [];
  readonly reach = new Reach();
  /** All that anybody may read. */
  readonly subjects = new Set<Subject>();
  /** By name: those of all configurations. */
  readonly #lanes = new Map<string, KnownLane>();
  /** What the file says, and what the program runs with. */
  #filed: Routes | null = null;
  #begun: Routes | null = null;
  /** Places that nobody heard for a while. */
  readonly #unheard = new Set<Subject>();
  /** `lane seq part` → when it came. */
  readonly arrived = new Map<string, number>();
  readonly #last = new Map<string, { seq: Seq; part: number }>();
  /** By lane: the newest topic that was set. */
  readonly #topics = new Map<string, Seq>();
  /** By ref: whose copy a message of ours is. */
  readonly #copies = new Map<string, Arrival>();
  /** By token `m17`: seq of the entry. */
  readonly accepted = new Map<number, Seq>();
  /** Edits by people who may not: `17e2`. */
  readonly forged = new Set<string>();
  /** Ids of ops whose intent was handed over with their entry, by payload, and of those whose entry is in the log. */
  readonly #riding = new Map<string, string[]>();
  readonly rode = new Set<string>();
  /** Ids of ops that a handler was asked for, and of those that a fault met; lanes of which a handler threw. */
  readonly asked = new Set<string>();
  readonly faulted = new Map<string, Set<NetFault>>();
  readonly #threw = new Set<string>();
  /** Of networks with history: what must be accepted in the end. */
  readonly owed = new Map<
    string,
    { readonly message: number; readonly net: string; readonly room: string; readonly nth: number }
  >();
  readonly #entered = new Map<string, number>();
  readonly #places: readonly Place[];
  /** Its keys may be forgotten, so that a repeated message is none of ours. */
  mayRepeat: (net: string, sinceMs: number) => boolean = () => false;
  nowMs: () => number = () => 0;

  constructor(counts: Counts, places: readonly Place[]) {
    this.counts = counts;
    this.#places = places;
  }

  fail(invariant: string, what: string): void {
    if (this.violations.length < 20) this.violations.push({ invariant, what });
  }

  check(invariant: string, holds: boolean, what: () => string): void {
    this.counts.check(invariant);
    if (!holds) this.fail(invariant, what());
  }

  /** The file says this. */
  propose(config: Config): void {
    const routes = compileRoutes(config);
    const accounts = apisOf(config).map(({ key }) => key);
    this.#filed = routes;
    this.reach.propose(routes, accounts, Math.max(0, ...this.entries.keys()));
    for (const account of accounts) for (const subject of routes.reads(account).keys()) this.subjects.add(subject);
    for (const route of routes.lanes()) {
      const name = laneName(route);
      const known = this.#lanes.get(name);
      for (const subject of route.subjects) this.subjects.add(subject);
      this.#lanes.set(name, {
        name,
        place: subjectOf(route.account.key, route.channel),
        subjects: new Set(route.subjects),
        maxAgeMs: Math.min(route.maxAgeMs, known?.maxAgeMs ?? Infinity),
        leavesOut: route.catchUp !== null || known?.leavesOut === true,
      });
    }
  }

  /** The program runs with it. `head`: of the log. */
  begin(config: Config, head: Seq): void {
    const routes = compileRoutes(config);
    this.#begun = routes;
    const accounts = apisOf(config).map(({ key }) => key);
    this.reach.begin(routes, accounts, head);
    this.inForce = routes.lanes().flatMap((route) => {
      const known = this.#lanes.get(laneName(route));
      return known === undefined ? [] : [{ ...known, subjects: new Set(route.subjects) }];
    });
    for (const { net, room } of this.#places) {
      const subject = subjectOf(`${net}.x`, room);
      if (!hasRoom(routes, net, room)) this.#entered.delete(`${net} ${room}`);
      if (routes.targets(subject).length === 0) this.#unheard.add(subject);
      else if (this.#unheard.delete(subject)) this.forgotten(net, room, Infinity);
    }
  }

  /** Whether what is said there is read by somebody, however far a change has come. */
  isHeard(subject: Subject): boolean {
    return [this.#filed, this.#begun].every((routes) => routes !== null && routes.targets(subject).length > 0);
  }

  /** A client of the API has read a message, or an edit of one. */
  read(account: string, gateway: string, { message, edit }: Token): void {
    const reader = readerName(account, gateway);
    const isIt = ({ token }: KnownEntry): boolean => token?.message === message && token.edit === edit;
    const isRouted = [...this.entries.values()].some(
      (entry) => isIt(entry) && this.reach.may(reader, entry.subject, entry.seq),
    );
    this.check("privacy", isRouted, () => `${account} read m${message}e${edit} of ${gateway}`);
  }

  /** The same log. */
  watched(log: Log): Log {
    const appendThen: Log["appendThen"] = (batch, done) => {
      for (const { name, entry } of batch.seqMarks ?? []) {
        const payload = batch.entries[entry]?.payload ?? "";
        this.#riding.set(payload, [...(this.#riding.get(payload) ?? []), name.slice(marksOf("").intent.length)]);
      }
      log.appendThen(batch, done);
    };
    return logWith(log, { appendThen });
  }

  /** Committed entries, in order. */
  committed(entries: readonly Entry[]): void {
    for (const { seq, at, subject, label, payload } of entries) {
      if (this.entries.has(seq)) continue;
      for (const lane of this.#riding.get(payload ?? "") ?? []) this.rode.add(`${lane}/${seq}/${at}`);
      const { message, about } = decodeStored(payload ?? "{}");
      const token = tokensIn(message.text).at(-1) ?? null;
      const target =
        about?.seq === undefined || about.seq === null ? null : (this.entries.get(about.seq)?.token ?? null);
      const isSaid = about === null || about.is === "reply";
      this.entries.set(seq, { seq, at, subject, label, token, about: isSaid ? null : (target?.message ?? null) });
      if (!isSaid || token === null) continue;
      this.check(
        "accepted once",
        !this.accepted.has(token.message),
        () => `m${token.message} is in the log twice, again as ${seq}`,
      );
      this.accepted.set(token.message, seq);
    }
  }

  /** A person did something on a network. */
  happened(net: string, room: string, { is, nth, text }: Happening, _heard: boolean): void {
    const token = tokensIn(text).at(-1);
    if (is === "said" && token !== undefined)
      this.owed.set(`${net} ${room} ${nth}`, { message: token.message, net, room, nth });
  }

  /** From here on, a network with history owes us what happens in the room. */
  entered(net: string, room: string, from: number): void {
    const place = `${net} ${room}`;
    // Entered for a configuration that has been replaced since: it is left again.
    if (this.#begun === null || !hasRoom(this.#begun, net, room)) return;
    if (!this.#entered.has(place)) this.#entered.set(place, from);
  }

  forgotten(net: string, room: string, upTo: number): void {
    for (const [key, owed] of this.owed)
      if (owed.net === net && owed.room === room && owed.nth < upTo) this.owed.delete(key);
  }

  owes(net: string, room: string, nth: number): boolean {
    return nth >= (this.#entered.get(`${net} ${room}`) ?? Infinity);
  }

  /** A session hands it over; the function is told the answer. */
  handed(net: string, room: string, { is, ours, text }: Happening): (accepted: Accepted, isUp: boolean) => void {
    const subject = subjectOf(`${net}.x`, room);
    const message = is === "said" && !ours ? tokensIn(text).at(-1)?.message : undefined;
    const wasHeard = this.isHeard(subject);
    return (accepted, isUp) => {
      if (ours) this.check("no echo", accepted === "ignored", () => `our own words in ${subject} were taken for news`);
      if (message === undefined) return;
      const isKept = this.accepted.has(message);
      if (accepted !== "ignored") {
        this.check("accepted is kept", isKept, () => `m${message} was accepted as ${accepted}, and is not in the log`);
      } else if (isUp && wasHeard && this.isHeard(subject)) {
        this.check("accepted is kept", isKept, () => `m${message} was dropped`);
      }
    };
  }

  fault(_net: string, fault: NetFault, op: Op): void {
    this.counts.fault(fault);
    const known = this.faulted.get(op.id) ?? new Set();
    this.faulted.set(op.id, known.add(fault));
    if (fault.startsWith("throw")) this.#threw.add(readOpId(op).lane);
  }

  calls({ inflightMax }: NetTraits, op: Op, calls: number): void {
    this.asked.add(op.id);
    this.check(
      "limits",
      calls <= inflightMax,
      () => `${calls} calls at once in ${op.channel}, at most ${inflightMax} may be`,
    );
  }

  /** A part of a message of ours has come to a room. */
  posted(
    net: string,
    room: string,
    op: Op,
    {
      part,
      text,
      ref,
    }: {
      readonly part: number;
      readonly parts: number;
      readonly text: string;
      readonly ref: string;
      readonly replyTo: string | null;
    },
  ): void {
    const found = this.#route(net, room, op);
    const token = tokensIn(text).at(-1) ?? null;
    const message = token?.message ?? null;
    this.#copies.set(ref, { lane: found?.lane.name ?? "", seq: found?.entry?.seq ?? 0, message });
    if (found === null) return;
    const { lane, entry } = found;
    if (entry === null) {
      this.check("privacy", token === null, () => `a summary in ${lane.place} tells of m${message}`);
      return;
    }
    this.#content(entry, token, lane);
    const key = `${lane.name} ${entry.seq} ${part}`;
    const before = this.arrived.get(key);
    const isExcused = before !== undefined && this.mayRepeat(net, before);
    this.check(
      "once",
      before === undefined || isExcused,
      () => `${describe(entry)} came to ${lane.place} again (part ${part})`,
    );
    if (before === undefined) this.#order(lane, entry, part, op);
    this.arrived.set(key, this.nowMs());
  }

  /** An edit, a deletion or a reaction of ours has come to a room. */
  changed(
    net: string,
    room: string,
    op: Op,
    {
      is,
      targets,
      text,
    }: {
      readonly is: "edit" | "delete" | "react";
      readonly targets: readonly (NetMessage | undefined)[];
      readonly text: string;
    },
  ): void {
    const found = this.#route(net, room, op);
    if (found === null || found.entry === null) return;
    const { lane, entry } = found;
    const token = tokensIn(text).at(-1) ?? null;
    if (is === "edit") this.#content(entry, token, lane);
    for (const target of targets) {
      const copy = target === undefined ? undefined : this.#copies.get(target.ref);
      const message = copy === undefined ? tokensIn(target?.text ?? "").at(-1)?.message : copy.message;
      const isOfLane = copy === undefined || copy.lane === lane.name;
      const isRight = target !== undefined && isOfLane && message === entry.about;
      this.check(
        "right target",
        isRight,
        () => `${is} of ${describe(entry)} in ${lane.place} hit ${target?.ref ?? "nothing"} (m${message})`,
      );
    }
    const key = `${lane.name} ${entry.seq} ${is}`;
    if (!this.arrived.has(key)) this.#order(lane, entry, 0, op);
    this.arrived.set(key, this.nowMs());
  }

  /** A topic of ours has come to a room; that may happen again. */
  topicSet(net: string, room: string, op: Op, topic: string): void {
    const found = this.#route(net, room, op);
    if (found === null || found.entry === null) return;
    const { lane, entry } = found;
    this.#content(entry, tokensIn(topic).at(-1) ?? null, lane);
    const newest = this.#topics.get(lane.name) ?? 0;
    this.check(
      "topics in order",
      entry.seq >= newest,
      () => `${describe(entry)} was set in ${lane.place} after ${newest}`,
    );
    this.#topics.set(lane.name, Math.max(newest, entry.seq));
    const key = `${lane.name} ${entry.seq} topic`;
    // It is not announced, and so not kept back behind what a handler that throws has left.
    if (!this.arrived.has(key) && !this.#threw.has(lane.name)) this.#order(lane, entry, -1, op);
    this.arrived.set(key, this.nowMs());
  }

  /** Whether it may be there at all. Null: it may not. The entry is null for what stands for expired messages. */
  #route(net: string, room: string, op: Op): { readonly lane: KnownLane; readonly entry: KnownEntry | null } | null {
    const { lane: name, seq, isSummary } = readOpId(op);
    const place = subjectOf(`${net}.x`, room);
    const lane = this.#lanes.get(name);
    const entry = this.entries.get(seq) ?? null;
    const isRouted =
      lane !== undefined && lane.place === place && entry !== null && this.reach.may(name, entry.subject, seq);
    this.check("privacy", isRouted, () => `${op.id} came to ${place}, from ${entry?.subject ?? "nowhere"}`);
    if (!isRouted) return null;
    return { lane, entry: isSummary ? null : entry };
  }

  /** The words are the entry's, or later ones of the same message. */
  #content(entry: KnownEntry, token: Token | null, { place }: KnownLane): void {
    const expected = entry.token?.message ?? entry.about ?? token?.message;
    this.check(
      "content",
      token === null || token.message === expected,
      () => `${describe(entry)} reads as m${token?.message} in ${place}`,
    );
    const forged = token !== null && this.forged.has(`${token.message}e${token.edit}`);
    this.check("right author", !forged, () => `an edit of m${token?.message} by somebody else came to ${place}`);
  }

  #order(lane: KnownLane, entry: KnownEntry, part: number, { id }: Op): void {
    const faults = this.faulted.get(id);
    // Those behind it may have been under way when its handler threw, and an adapter that throws cannot call them back.
    if (faults?.has("throw before") === true || faults?.has("throw after") === true) return;
    const last = this.#last.get(lane.name);
    const isNext = last === undefined || entry.seq > last.seq || (entry.seq === last.seq && part > last.part);
    this.check(
      "order",
      isNext,
      () => `${describe(entry)} part ${part} came to ${lane.place} after ${last?.seq} part ${last?.part}`,
    );
    if (isNext) this.#last.set(lane.name, { seq: entry.seq, part });
  }
}

const hasRoom = (routes: Routes, net: string, room: string): boolean =>
  routes.channels(`${net}.x`).some(({ name }) => name === room);
