import type { Account, Bridge, Config } from "../config/config.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { Clock, LinkedChannel, LinkedChannels } from "../contract/host.ts";
import type { Member } from "../contract/session.ts";
import { channelsOf } from "../gateway/bridged-channels.ts";
import { OPERATOR_NAME } from "../gateway/operator.ts";
import { OWN_NAME } from "../gateway/own-entry.ts";
import type { Routes } from "../gateway/routes.ts";
import { subjectOf } from "../gateway/subject.ts";
import { Lru } from "../lib/lru.ts";
import type { Subject } from "../log/log.ts";

/** A network is asked again after so many times as long as its last answer took: lists of some are many requests. */
const PAUSE = { factor: 20, mostMs: 60_000 };
const CHANNELS_MAX = 10_000;

/** Who and how many are in a channel, as its network says. */
interface Found {
  readonly members: readonly Member[] | null;
  readonly count: number | null;
}

interface LinkedOptions {
  readonly clock: Pick<Clock, "monoMs">;
  readonly config: () => Config;
  readonly routes: Pick<Routes, "targets">;
  readonly adapters: ReadonlyMap<string, Pick<Adapter, "manifest">>;
  /** The account with this key, where it runs here. */
  readonly part: (accountKey: string) => LinkedAccount | undefined;
}

/** What is asked of an account; see `AccountRuntime` and `Supervisor`. */
interface LinkedAccount {
  ignores(name: string): boolean;
  readonly supervisor: {
    members(channel: string): Promise<readonly Member[] | null>;
    count(channel: string): Promise<number | null>;
    /** Null: it is joined. */
    downOf(channel: string): object | null | undefined;
    readonly session: { readonly as: string } | null;
  };
}

interface Watcher {
  readonly nameOf: () => string | null;
  readonly task: () => void;
}

/** `LinkedReader` of one account, by names of channels. */
export interface LinkedOfAccount {
  readonly read: (channel: string) => Promise<LinkedChannels>;
  /** `nameOf`: its name in the configuration, which may not be known yet. */
  readonly watch: (nameOf: Watcher["nameOf"], task: () => void) => () => void;
  /** Somebody has come, gone or been renamed in a channel of this account. */
  readonly moved: (channel: string) => void;
}

/** The people in the channels that share a gateway with another channel, from the sessions of their networks. */
export class LinkedPeople {
  readonly #options: LinkedOptions;
  /** By the account whose session watches. */
  readonly #watching = new Map<string, Set<Watcher>>();
  readonly #answers = new Lru<Subject, { readonly found: Promise<Found>; nextMs: number }>(CHANNELS_MAX);

  constructor(options: LinkedOptions) {
    this.#options = options;
  }

  of(accountKey: string): LinkedOfAccount {
    return {
      read: async (channel) => await this.#read(accountKey, channel),
      watch: (nameOf, task) => this.#watch(accountKey, { nameOf, task }),
      moved: (channel) => this.#moved(subjectOf(accountKey, channel)),
    };
  }

  async #read(accountKey: string, channel: string): Promise<LinkedChannels> {
    const { gateways, accounts } = this.#options.config();
    const isOwn = (bridge: Pick<Bridge, "account" | "channel">): boolean =>
      bridge.account === accountKey && bridge.channel === channel;
    const shared = gateways.filter(({ bridges }) => bridges.some(isOwn));
    const bridges = shared.flatMap((gateway) => gateway.bridges);
    const channels = channelsOf(bridges, accounts).filter((each) => !isOwn(each));
    const own = subjectOf(accountKey, channel);
    const read = await Promise.all(
      channels.map(async ({ account: key, channel: there }) => {
        const subject = subjectOf(key, there);
        const isHeard = this.#reaches(subject, own);
        if (!isHeard && !this.#reaches(own, subject)) return null;
        const account = accounts.get(key);
        return account === undefined ? null : await this.#channel(account, there, isHeard);
      }),
    );
    const found = read.filter((each) => each !== null);
    return {
      channels: found.flatMap(({ shown }) => shown ?? []),
      people: found.flatMap(({ people }) => people),
      labels: [
        ...new Set([
          ...shared.map(({ name }) => name),
          ...bridges.flatMap((bridge) => this.#labelsOf(accounts.get(bridge.account))),
          OPERATOR_NAME,
          OWN_NAME,
        ]),
      ],
    };
  }

  /** `shown` null: nothing of the channel comes to the one that asks. */
  async #channel(
    account: Account,
    channel: string,
    isHeard: boolean,
  ): Promise<{ readonly shown: LinkedChannel | null; readonly people: readonly string[] }> {
    const { adapters, part: partOf } = this.#options;
    const part = partOf(account.key);
    const { members: all, count } = await this.#ask(account.key, channel);
    const listed: readonly Member[] | null = all?.filter(({ name }) => part?.ignores(name) !== true) ?? null;
    const manifest = adapters.get(account.protocol)?.manifest;
    const login = manifest?.login === undefined ? "" : account.settings[manifest.login];
    const own = [part?.supervisor.session?.as, login].filter((name) => typeof name === "string" && name !== "");
    const people = [...(all ?? []).map(({ name }) => name), ...own.map(String)];
    if (!isHeard) return { shown: null, people };
    const shown = {
      account: account.name,
      title: manifest?.title ?? account.protocol,
      // What runs on another machine is not known here.
      isJoined: part === undefined || part.supervisor.downOf(channel) === null,
      members: account.presentation.noSendJoinPart ? null : listed,
      count: listed?.length ?? count,
    };
    return { shown, people };
  }

  async #ask(accountKey: string, channel: string): Promise<Found> {
    const { clock } = this.#options;
    const subject = subjectOf(accountKey, channel);
    const known = this.#answers.get(subject);
    const fromMs = clock.monoMs();
    if (known !== undefined && fromMs < known.nextMs) return await known.found;
    const answer = { found: this.#find(accountKey, channel), nextMs: Infinity };
    this.#answers.set(subject, answer);
    const found = await answer.found;
    const nowMs = clock.monoMs();
    answer.nextMs = nowMs + Math.min(PAUSE.mostMs, (nowMs - fromMs) * PAUSE.factor);
    return found;
  }

  async #find(accountKey: string, channel: string): Promise<Found> {
    const supervisor = this.#options.part(accountKey)?.supervisor;
    const members = (await supervisor?.members(channel)) ?? null;
    return { members, count: members?.length ?? (await supervisor?.count(channel)) ?? null };
  }

  #labelsOf(account: Account | undefined): readonly string[] {
    if (account === undefined) return [];
    const { name, protocol, presentation } = account;
    const title = this.#options.adapters.get(protocol)?.manifest.title ?? protocol;
    const all = [name, name.slice(name.indexOf(".") + 1), protocol, title, presentation.label];
    return all.filter((label) => label !== "");
  }

  #reaches(from: Subject, to: Subject): boolean {
    return this.#options.routes.targets(from).some(({ account, channel }) => subjectOf(account.key, channel) === to);
  }

  #watch(accountKey: string, watcher: Watcher): () => void {
    const all = this.#watching.get(accountKey) ?? new Set();
    this.#watching.set(accountKey, all.add(watcher));
    return () => {
      all.delete(watcher);
      if (all.size === 0 && this.#watching.get(accountKey) === all) this.#watching.delete(accountKey);
    };
  }

  #moved(subject: Subject): void {
    if (this.#watching.size === 0) return;
    for (const { account, channel } of this.#options.routes.targets(subject)) {
      for (const { nameOf, task } of this.#watching.get(account.key) ?? []) if (nameOf() === channel) task();
    }
  }
}
