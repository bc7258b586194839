import type { Account, CatchUp, Config, Gateway } from "../config/config.ts";
import type { ChannelRequest } from "../contract/session.ts";
import type { Subject } from "../log/log.ts";
import { failureSubject } from "./failures.ts";
import { operatorSubject } from "./operator.ts";
import { outageSubject } from "./outages.ts";
import { compileSeen, type SeenSubject, UNSEEN } from "./seen.ts";
import { compilePostings, type PostingTarget } from "./postings.ts";
import { subjectOf } from "./subject.ts";
import { withdrawalSubject } from "./withdrawals.ts";

export type { PostingTarget } from "./postings.ts";

/** An outgoing bridge that a message goes to, in one gateway. */
export interface Target {
  readonly gateway: string;
  readonly account: Account;
  readonly channel: string;
}

/** An outgoing bridge of a network, in one gateway, with what it reads. */
export interface LaneRoute extends Target {
  /** Everything that goes there; never empty. */
  readonly subjects: readonly Subject[];
  /** How long a message may wait for it. */
  readonly maxAgeMs: number;
  readonly catchUp: CatchUp | null;
}

/** The gateways, compiled: every answer is one look-up, whatever their number. */
export interface Routes {
  /**
   * Where what this subject says goes: each (gateway, account, channel) once, never back to the bridge it came from.
   */
  readonly targets: (subject: Subject) => readonly Target[];
  /** All from which something goes anywhere. */
  readonly subjects: () => readonly Subject[];
  /** The subjects an API account reads, each with the gateways in which it reads them. */
  readonly reads: (accountKey: string) => ReadonlyMap<Subject, readonly string[]>;
  /** What an API account sees below `/v1`, by subject; the same object as long as the configuration is the same. */
  readonly seen: (accountKey: string) => ReadonlyMap<Subject, SeenSubject>;
  /** Where a message goes that a client of an API account posts to a gateway; null or "" when the client names none. */
  readonly posting: (accountKey: string, gatewayName: string | null) => PostingTarget;
  /** Every outgoing bridge of a network that something reaches, in the order of the configuration. */
  readonly lanes: () => readonly LaneRoute[];
  /**
   * The channels that an account takes part in, whatever the direction: each once, in the order of the configuration.
   */
  readonly channels: (accountKey: string) => readonly ChannelRequest[];
}

/** Compiles the enabled gateways. Throws when a bridge names an account that the configuration does not hold. */
export function compileRoutes(config: Config): Routes {
  const targets = new Map<Subject, Target[]>();
  const lanes: LaneRoute[] = [];
  const told = new Set<string>();
  for (const gateway of config.gateways) {
    const members = mergeBridges(gateway, config.accounts);
    const found = [
      ...gatewayTargets(gateway, members),
      ...outageTargets(gateway, members, told),
      ...failureTargets(members, told),
    ];
    for (const [subject, reached] of found) pushAll(targets, subject, reached);
    const { maxAgeMs, catchUp } = gateway;
    lanes.push(...gatewayLanes(members, found, { maxAgeMs: maxAgeMs ?? config.general.maxAgeMs, catchUp }));
  }
  const reads = invert(targets);
  const channels = compileChannels(config.gateways);
  const seen = compileSeen(config, reads);
  return {
    targets: (subject) => targets.get(subject) ?? NOWHERE,
    subjects: () => [...targets.keys()],
    reads: (accountKey) => reads.get(accountKey) ?? NOTHING,
    seen: (accountKey) => seen.get(accountKey) ?? UNSEEN,
    posting: compilePostings(config.gateways),
    lanes: () => lanes,
    channels: (accountKey) => channels.get(accountKey) ?? NO_CHANNELS,
  };
}

const NOWHERE: readonly Target[] = [];
const NO_CHANNELS: readonly ChannelRequest[] = [];
const NOTHING: ReadonlyMap<Subject, readonly string[]> = new Map();

/** A bridge with what the entries for one account and channel say together. */
interface Member extends Target {
  readonly isApi: boolean;
  gives: boolean;
  takes: boolean;
}

function gatewayTargets(gateway: Gateway, members: readonly Member[]): readonly [Subject, readonly Member[]][] {
  const reachable = compileReach(gateway, members);
  const takers = members.filter((member) => member.takes);
  return [
    ...members
      .filter((source) => source.gives)
      .map((source): [Subject, readonly Member[]] => {
        const channel = source.isApi ? gateway.name : source.channel;
        return [subjectOf(source.account.key, channel), reachable(source).filter((member) => member !== source)];
      }),
    ...takers
      .filter(({ gives, isApi }) => gives && !isApi)
      .map((place): [Subject, readonly Member[]] => [withdrawalSubject(placeOf(place)), [place]]),
    [operatorSubject(gateway.name), takers],
  ];
}

/**
 * Who is told that a place is out of reach: rooms of networks that hear what is said there, and rooms that take
 * something and are heard there. Each room of each place once: `told` is what other gateways have seen to.
 */
function outageTargets(
  gateway: Gateway,
  members: readonly Member[],
  told: Set<string>,
): readonly [Subject, readonly Member[]][] {
  const reachable = compileReach(gateway, members);
  const reach = new Map(members.map((member) => [member, new Set(member.gives ? reachable(member) : [])]));
  const rooms = members.filter(({ isApi, takes, account }) => takes && !isApi && account.presentation.showOutages);
  return members
    .filter(({ isApi }) => !isApi)
    .map((place) => {
      const subject = outageSubject(placeOf(place));
      const concerned = rooms.filter(
        (room) => room !== place && (reach.get(place)?.has(room) === true || reach.get(room)?.has(place) === true),
      );
      const others = concerned.filter((room) => !told.has(`${subject} ${placeOf(room)}`));
      for (const room of others) told.add(`${subject} ${placeOf(room)}`);
      return [subject, others];
    });
}

/** A place itself hears which of its messages did not arrive elsewhere; once, also where it is in several gateways. */
function failureTargets(members: readonly Member[], told: Set<string>): readonly [Subject, readonly Member[]][] {
  return members
    .filter(({ isApi, takes, gives, account }) => takes && gives && !isApi && account.presentation.showFailures)
    .flatMap((place): readonly [Subject, readonly Member[]][] => {
      const subject = failureSubject(placeOf(place));
      if (told.has(subject)) return [];
      told.add(subject);
      return [[subject, [place]]];
    });
}

const placeOf = ({ account, channel }: Member): Subject => subjectOf(account.key, channel);

function gatewayLanes(
  members: readonly Member[],
  targets: readonly [Subject, readonly Member[]][],
  { maxAgeMs, catchUp }: Pick<LaneRoute, "maxAgeMs" | "catchUp">,
): readonly LaneRoute[] {
  const subjects = new Map<Member, Subject[]>();
  for (const [subject, reached] of targets) {
    for (const member of reached) pushAll(subjects, member, [subject]);
  }
  return members
    .filter((member) => !member.isApi && subjects.has(member))
    .map((member) => ({
      gateway: member.gateway,
      account: member.account,
      channel: member.channel,
      subjects: subjects.get(member) ?? [],
      maxAgeMs,
      catchUp,
    }));
}

/** Every account's channels, with the options of all their entries together. */
function compileChannels(gateways: readonly Gateway[]): ReadonlyMap<string, readonly ChannelRequest[]> {
  const channels = new Map<string, Map<string, ChannelRequest>>();
  for (const { account, channel, options } of gateways.flatMap((gateway) => gateway.bridges)) {
    const ofAccount = channels.get(account) ?? new Map<string, ChannelRequest>();
    channels.set(account, ofAccount);
    const known = ofAccount.get(channel);
    ofAccount.set(channel, { name: channel, options: { ...known?.options, ...options } });
  }
  return new Map(Array.from(channels, ([account, ofAccount]) => [account, [...ofAccount.values()]]));
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
