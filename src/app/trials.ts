import { adapters, capabilitiesOf, protocols } from "../adapters/registry.ts";
import type { Account, Config } from "../config/config.ts";
import { type TypedFlaw, readTyped } from "../config/typed.ts";
import type { Clock } from "../contract/host.ts";
import type { Manifest, SettingSchema, TextRule } from "../contract/manifest.ts";
import type { ChannelRequest } from "../contract/session.ts";
import type { AccountStatus } from "../delivery/status.ts";
import { accountFolder } from "../delivery/account-folder.ts";
import { tryAccount } from "../delivery/trial.ts";
import { checkPattern } from "../gateway/regex.ts";
import { findLoops } from "../gateway/loops.ts";
import type { OnlineAsked, OnlineResult, OnlineStep } from "../http/admin/v1/connect-deps.ts";
import { Scrubber } from "../lib/scrub.ts";
import { whyBusy } from "./busy.ts";

export interface TrialsOptions {
  readonly running: () => Config;
  readonly accounts: () => Promise<readonly Pick<AccountStatus, "key" | "state" | "as" | "why" | "remedy">[]>;
  /** As `Delivery.rooms`. */
  readonly rooms: (account: Account, signal: AbortSignal) => Promise<readonly string[]>;
  /** See ConfigDesk. */
  readonly reveal: (texts: readonly string[]) => Promise<readonly string[] | null>;
  readonly clock: Clock;
  readonly random: () => number;
}

const AT_ONCE = 4;

/** Tries accounts as they are typed, a few at once and each once. */
export class Trials {
  readonly #options: TrialsOptions;
  readonly #busy = new Set<string>();
  readonly #end = new AbortController();

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  async try(asked: OnlineAsked): Promise<OnlineResult | "busy"> {
    const key = `${asked.protocol}.${asked.name}`.toLowerCase();
    if (this.#busy.has(key) || this.#busy.size >= AT_ONCE) return "busy";
    this.#busy.add(key);
    try {
      return await this.#result(asked, key);
    } finally {
      this.#busy.delete(key);
    }
  }

  close(): void {
    this.#end.abort();
  }

  async #result(asked: OnlineAsked, key: string): Promise<OnlineResult> {
    const { protocol, name, settings, channel, options = {} } = asked;
    const manifest = protocols.get(protocol);
    if (manifest === undefined) return told(settingsStep(false, `there is no protocol ${protocol}`));
    const known = this.#options.running().accounts.get(key);
    if (settings === undefined) {
      return known === undefined
        ? told(settingsStep(false, `the configuration has no account ${key} in an enabled gateway`))
        : await this.#state(known);
    }
    const shown = await this.#real(settings, options, manifest);
    if (shown === null) return told(settingsStep(false, NO_SECRET));
    const { secrets, ...real } = shown;
    const tried = await this.#tried({ protocol, name, channel, ...real }, manifest);
    return new Scrubber(secrets).cleanAll(tried);
  }

  async #tried(
    { protocol, name, settings, channel, options }: Required<OnlineAsked>,
    manifest: Manifest,
  ): Promise<OnlineResult> {
    const rules = { protocols, capabilitiesOf, checkPattern, findLoops };
    const read = readTyped({ manifest, name: `${protocol}.${name}`, settings, general: {} }, rules);
    const flaws = [
      ...read.flaws.filter(({ severity }) => severity === "error"),
      ...channelFlaws(manifest, channel, options),
    ];
    if (flaws.length > 0 || read.account === null)
      return told(...flaws.map(({ message, remedy }) => settingsStep(false, message, remedy)));
    const { steps, rooms } = await this.#online(read.account, manifest, { name: channel, options });
    return { steps: [settingsStep(true, "the settings can be read"), ...steps], rooms };
  }

  async #online(account: Account, manifest: Manifest, channel: ChannelRequest): Promise<OnlineResult> {
    const { protocol, settings } = account;
    const adapter = adapters.get(protocol);
    const same = [...this.#options.running().accounts.values()].find((other) => isSameLogin(other, account, manifest));
    // Two sessions of one login would throw each other out, or share what comes between them.
    if (same !== undefined) return await this.#state(same);
    if (adapter === undefined || manifest.network === "BindAddress")
      return told(...(await addressSteps(settings["BindAddress"])));
    const { clock, random, running } = this.#options;
    const folder = accountFolder(running().general.dataPath, account);
    const channels = channel.name === "" ? [] : [{ ...channel, name: channelName(manifest, channel.name) }];
    return await tryAccount({ adapter, settings, folder, channels, clock, random, signal: this.#end.signal });
  }

  /** How the session is that runs, and what it could bridge. */
  async #state(account: Account): Promise<OnlineResult> {
    const [status, rooms] = await Promise.all([
      this.#options.accounts(),
      this.#options.rooms(account, this.#end.signal),
    ]);
    return { steps: [stateStep(account, status)], rooms };
  }

  /** A mask can only be the value of a secret, as in the file: others are told to people and to servers. */
  async #real(
    settings: Readonly<Record<string, unknown>>,
    options: Options,
    { schema, options: known = {} }: Manifest,
  ): Promise<Revealed | null> {
    const isSecret = new Map(
      Object.entries<SettingSchema>(schema.properties).map(([name, { secret }]) => [
        name.toLowerCase(),
        secret === true,
      ]),
    );
    const texts = Object.entries(settings).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    const secret = texts.filter(([name]) => isSecret.get(name.toLowerCase()) === true);
    const keys = Object.entries(options).filter(([name]) => Object.hasOwn(known, name) && known[name]?.secret === true);
    const shown = await this.#options.reveal([...secret, ...keys].map(([, text]) => text));
    if (shown === null || texts.some(([name, text]) => isMask(text) && isSecret.get(name.toLowerCase()) !== true))
      return null;
    return {
      settings: { ...settings, ...Object.fromEntries(secret.map(([name], at) => [name, shown[at]])) },
      options: { ...options, ...Object.fromEntries(keys.map(([name], at) => [name, shown[secret.length + at] ?? ""])) },
      secrets: shown,
    };
  }
}

interface Revealed {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options: Options;
  /** What must not be told. */
  readonly secrets: readonly string[];
}

const isMask = (text: string): boolean => /<kept:\w+>/u.test(text);

const NO_SECRET =
  "a mask stands for no secret that Rialto knows, or is the value of a setting that is none; type what it should be";

const told = (...steps: readonly OnlineStep[]): OnlineResult => ({ steps, rooms: [] });

function stateStep({ key, name }: Account, status: Awaited<ReturnType<TrialsOptions["accounts"]>>): OnlineStep {
  const found = status.find((one) => one.key === key);
  const step = { name: "running", remedy: found?.remedy ?? "" } as const;
  if (found === undefined) return { ...step, ok: true, why: `${name} runs` };
  const { state, as, why } = found;
  const what = `${name} runs with this login already, so it is not disturbed: it is ${state}`;
  const who = as === null ? "" : ` as ${as}`;
  return { ...step, ok: state === "online", why: `${what}${who}${why === null ? "" : `: ${why.message}`}` };
}

const settingsStep = (ok: boolean, why: string, remedy = ""): OnlineStep => ({ name: "settings", ok, why, remedy });

type Options = NonNullable<OnlineAsked["options"]>;

function channelFlaws(
  { channel: rule, options: known = {} }: Manifest,
  channel: string,
  options: Options,
): readonly Pick<TypedFlaw, "message" | "remedy">[] {
  const fits = (wanted: TextRule | undefined, text: string): boolean =>
    wanted === undefined || new RegExp(wanted.pattern, "u").test(text);
  const flaws = Object.entries(options).flatMap(([name, value]) => {
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) return [`a channel has no option ${JSON.stringify(name)}`];
    return fits(option.rule, value) ? [] : [`option ${name} of the channel ${option.rule?.hint ?? ""}`];
  });
  const all = channel === "" || fits(rule, channel) ? flaws : [`the channel ${rule?.hint ?? ""}`, ...flaws];
  return all.map((message) => ({ message, remedy: "" }));
}

function channelName({ channel: rule }: Manifest, channel: string): string {
  return rule?.lowerCase === true ? channel.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase()) : channel;
}

/** Whether two accounts cannot both have a session: one name on one network, or one secret. */
export function isSameLogin(other: Account, account: Account, { schema, network, login, protocol }: Manifest): boolean {
  if (other.protocol !== protocol || other.down !== null) return false;
  const same = (name: string | undefined): boolean => {
    const [a, b] = name === undefined ? [] : [other.settings[name], account.settings[name]];
    return typeof a === "string" && typeof b === "string" && a !== "" && a.toLowerCase() === b.toLowerCase();
  };
  if (login !== undefined && same(login) && (network === undefined || same(network))) return true;
  const secrets = Object.entries(schema.properties).filter(
    ([, { secret, type }]) => secret === true && type === "string",
  );
  // A password may be that of several people; a token is somebody's.
  return secrets.some(([name]) => /token/iu.test(name) && same(name) && (network === undefined || same(network)));
}

async function addressSteps(address: unknown): Promise<readonly OnlineStep[]> {
  if (typeof address !== "string") return [];
  const why = await whyBusy(address);
  return [{ name: "connect", ok: why === null, why: why ?? `${address} is free`, remedy: "" }];
}
