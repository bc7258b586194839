import { protocols } from "../adapters/registry.ts";
import type { Config } from "../config/config.ts";
import { exampleLinks } from "../config/example.ts";
import { tomlTable, tomlValue } from "../config/toml-text.ts";
import type { Manifest, SettingSchema } from "../contract/manifest.ts";
import type { ConfigDeps } from "../http/admin/v1/config-deps.ts";
import type {
  ConnectAsked,
  ConnectDeps,
  ConnectResult,
  OnlineAsked,
  OnlineResult,
  ProtocolView,
} from "../http/admin/v1/connect-deps.ts";
import { whyBusy } from "./busy.ts";
import type { Trials } from "./trials.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/u;
const FIRST_MAX = 6;
/** Addresses for accounts that listen are looked for from here on. */
const FIRST_PORT = 4242;
const PORTS_MAX = 50;

/** Helps to link networks: questions, trials, and the text that comes to the configuration. */
export class ConnectDesk implements ConnectDeps {
  readonly #running: () => Config;
  readonly #config: Pick<ConfigDeps, "read">;
  readonly #trials: Pick<Trials, "try">;

  constructor(running: () => Config, config: Pick<ConfigDeps, "read">, trials: Pick<Trials, "try">) {
    this.#running = running;
    this.#config = config;
    this.#trials = trials;
  }

  schema(): readonly ProtocolView[] {
    const accounts = [...this.#running().accounts.values()];
    return Array.from(protocols.values(), (manifest) => ({
      protocol: manifest.protocol,
      title: manifest.title,
      settings: manifest.schema.properties,
      first: firstOf(manifest),
      onlyChannel: manifest.onlyChannel ?? null,
      channel:
        manifest.channel === undefined ? null : { pattern: manifest.channel.pattern, hint: manifest.channel.hint },
      options: manifest.options ?? {},
      accounts: accounts.filter(({ protocol }) => protocol === manifest.protocol).map(({ name }) => name),
    }));
  }

  async freeAddresses(): Promise<readonly string[]> {
    const free: string[] = [];
    for (let port = FIRST_PORT; free.length < 2 && port < FIRST_PORT + PORTS_MAX; port += 1) {
      const address = `127.0.0.1:${port}`;
      if ((await whyBusy(address)) === null) free.push(address);
    }
    return free;
  }

  async tryAccount(asked: OnlineAsked): Promise<OnlineResult | "busy"> {
    return await this.#trials.try(asked);
  }

  async add({ accounts, gateway }: ConnectAsked): Promise<ConnectResult> {
    const { text: before, creates, format, writable, why, etag } = await this.#config.read();
    if (!writable) return { ok: false, why };
    if (format !== "toml") {
      const name = format.toUpperCase();
      return {
        ok: false,
        why: `the configuration is ${name}; only TOML can be added to from here, so edit it yourself`,
      };
    }
    const flaw = this.#flawOf({ accounts, gateway });
    if (flaw !== null) return { ok: false, why: flaw };
    // What the example links is only wanted by a configuration that links it with something.
    const isOwn = creates !== null && accounts.every(({ settings }) => settings !== undefined);
    const text = isOwn ? before.replace(exampleLinks, "") : before;
    const tables = accounts.flatMap(({ protocol, name, settings }) =>
      settings === undefined ? [] : [tomlTable(`[${protocol}.${name}]`, settings)],
    );
    const bridges = gateway.bridges
      .map(({ account, channel, options = {} }) => {
        const more = Object.keys(options).length === 0 ? {} : { options };
        return `  ${tomlValue({ account, channel, ...more })},\n`;
      })
      .join("");
    const link = `[[gateway]]\nname = ${tomlValue(gateway.name)}\nenable = true\ninout = [\n${bridges}]\n`;
    const end = /\r\n/u.test(text) ? "\r\n" : "\n";
    const added = [...tables, link].join("\n").replaceAll("\n", end);
    const between = text === "" ? "" : text.endsWith("\n") ? end : `${end}${end}`;
    return { ok: true, text: `${text}${between}${added}`, added, etag };
  }

  /** Why it cannot be added, for people. */
  #flawOf({ accounts, gateway }: ConnectAsked): string | null {
    const running = this.#running();
    const names = new Set(running.accounts.keys());
    for (const { protocol, name, settings } of accounts) {
      if (!protocols.has(protocol)) return `there is no protocol ${protocol}`;
      // One that is there already has whatever name somebody gave it in the file.
      if (settings !== undefined && !NAME.test(name))
        return `the name ${JSON.stringify(name)} may have letters, digits, - and _ only`;
      const key = `${protocol}.${name}`.toLowerCase();
      if (settings === undefined && !names.has(key)) return `there is no account ${key}`;
      if (settings !== undefined && names.has(key)) return `there is an account ${key} already; choose another name`;
      names.add(key);
    }
    if (gateway.name.trim() === "") return "the gateway needs a name";
    if (running.gateways.some(({ name }) => name === gateway.name))
      return `there is a gateway ${gateway.name} already; choose another name`;
    const missing = gateway.bridges.find(({ account }) => !names.has(account.toLowerCase()));
    if (missing !== undefined) return `there is no account ${missing.account}`;
    return gateway.bridges.map(optionFlaw).find((flaw) => flaw !== null) ?? null;
  }
}

function optionFlaw({ account, options = {} }: ConnectAsked["gateway"]["bridges"][number]): string | null {
  const known = protocols.get(account.toLowerCase().split(".")[0] ?? "")?.options ?? {};
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  return unknown === undefined ? null : `a channel of ${account} has no option ${JSON.stringify(unknown)}`;
}

/** What nobody can do without: what must be written, where it connects to, who we are there, and with which secret. */
function firstOf({ schema, network, login }: Manifest): readonly string[] {
  const all = Object.entries<SettingSchema>(schema.properties);
  const names = (fits: (setting: SettingSchema) => boolean): string[] =>
    all.filter(([, setting]) => fits(setting)).map(([name]) => name);
  const wanted = [
    ...names(({ default: value }) => value === undefined),
    ...[network, "UseTLS", login].filter((name) => name !== undefined),
    ...names(({ secret, type }) => secret === true && type === "string").filter((name) => name !== "Proxy"),
  ];
  return [...new Set(wanted)].filter((name) => schema.properties[name] !== undefined).slice(0, FIRST_MAX);
}
