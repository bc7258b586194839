import type { Account, Config, Gateway } from "../config/config.ts";
import type { Subject } from "../log/log.ts";
import { compilePostings, type Posting } from "./postings.ts";
import { subjectOf } from "./subject.ts";

export type { Posting } from "./postings.ts";

/** An outgoing bridge that a message goes to, in one gateway. */
export interface Target {
  readonly gateway: string;
  readonly account: Account;
  readonly channel: string;
}

/** The gateways, compiled: every answer is one look-up, whatever their number. */
export interface Routes {
  /** Where what this subject says goes: each (gateway, account, channel) once, never back to the bridge it came from. */
  readonly targets: (subject: Subject) => readonly Target[];
  /** The subjects an API account reads, each with the gateways in which it reads them. */
  readonly reads: (accountKey: string) => ReadonlyMap<Subject, readonly string[]>;
  /** Where a message goes that a client of an API account posts to a gateway; null or "" when the client names none. */
  readonly posting: (accountKey: string, gatewayName: string | null) => Posting;
}

/** Compiles the enabled gateways. Throws when a bridge names an account that the configuration does not hold. */
export function compileRoutes(config: Config): Routes {
  const targets = new Map<Subject, Target[]>();
  for (const gateway of config.gateways) {
    for (const [subject, found] of gatewayTargets(gateway, config.accounts)) pushAll(targets, subject, found);
  }
  const reads = invert(targets);
  return {
    targets: (subject) => targets.get(subject) ?? NOWHERE,
    reads: (accountKey) => reads.get(accountKey) ?? NOTHING,
    posting: compilePostings(config.gateways),
  };
}

const NOWHERE: readonly Target[] = [];
const NOTHING: ReadonlyMap<Subject, readonly string[]> = new Map();

/** A bridge with what the entries for one account and channel say together. */
interface Member extends Target {
  readonly isApi: boolean;
  gives: boolean;
  takes: boolean;
}

function* gatewayTargets(
  gateway: Gateway,
  accounts: ReadonlyMap<string, Account>,
): Generator<[Subject, readonly Target[]]> {
  const members = mergeBridges(gateway, accounts);
  const reachable = compileReach(gateway, members);
  for (const source of members) {
    if (!source.gives) continue;
    const channel = source.isApi ? gateway.name : source.channel;
    yield [subjectOf(source.account.key, channel), reachable(source).filter((member) => member !== source)];
  }
}

function mergeBridges(gateway: Gateway, accounts: ReadonlyMap<string, Account>): readonly Member[] {
  const members = new Map<Subject, Member>();
  for (const bridge of gateway.bridges) {
    const account = accounts.get(bridge.account);
    if (account === undefined)
      throw new Error(`gateway "${gateway.name}" names the unknown account "${bridge.account}"`);
    const place = subjectOf(account.key, bridge.channel);
    const member = members.get(place) ?? {
      gateway: gateway.name,
      account,
      channel: bridge.channel,
      isApi: account.protocol === "api",
      gives: false,
      takes: false,
    };
    if (bridge.direction !== "out") member.gives = true;
    if (bridge.direction !== "in") member.takes = true;
    members.set(place, member);
  }
  return [...members.values()];
}

/** Which receiving bridges a source reaches; itself may be among them. */
function compileReach(gateway: Gateway, members: readonly Member[]): (source: Member) => readonly Member[] {
  const takers = members.filter((member) => member.takes);
  if (!gateway.sameChannel) return () => takers;
  const apis = takers.filter((member) => member.isApi);
  const rooms = Map.groupBy(
    takers.filter((member) => !member.isApi),
    (member) => member.channel,
  );
  // What a client posts names no channel: it can only go to the others when there is no choice.
  const fromApi = rooms.size === 1 ? takers : apis;
  return (source) => (source.isApi ? fromApi : [...(rooms.get(source.channel) ?? []), ...apis]);
}

/** From where each API account is reached. */
function invert(targets: ReadonlyMap<Subject, readonly Target[]>): ReadonlyMap<string, ReadonlyMap<Subject, string[]>> {
  const reads = new Map<string, Map<Subject, string[]>>();
  for (const [subject, found] of targets) {
    for (const { account, gateway } of found) {
      if (account.protocol !== "api") continue;
      const subjects = reads.get(account.key) ?? new Map<Subject, string[]>();
      reads.set(account.key, subjects);
      pushAll(subjects, subject, [gateway]);
    }
  }
  return reads;
}

function pushAll<K, V>(map: Map<K, V[]>, key: K, values: readonly V[]): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [...values]);
  else for (const value of values) list.push(value);
}
