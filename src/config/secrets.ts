import type { Config } from "./config.ts";
import type { Manifest } from "../contract/manifest.ts";

/** Shorter ones are part of every other line: to scrub them would hide nothing but the log. */
const minChars = 4;

/** The values of all settings and options that are marked as secret, for the log's sink to scrub. */
export function secretsOf(config: Config, protocols: ReadonlyMap<string, Manifest>): readonly string[] {
  const secrets: unknown[] = [];
  for (const { protocol, settings } of config.accounts.values()) {
    const properties = Object.entries(protocols.get(protocol)?.schema.properties ?? {});
    for (const [name, schema] of properties) {
      if (schema.secret === true) secrets.push(settings[name]);
    }
  }
  for (const { account, options } of config.gateways.flatMap(({ bridges }) => bridges)) {
    const known = protocols.get(config.accounts.get(account)?.protocol ?? "")?.options ?? {};
    for (const [name, value] of Object.entries(options)) {
      if (known[name]?.secret === true) secrets.push(value);
    }
  }
  return secrets.flat().filter((secret) => typeof secret === "string" && secret.length >= minChars) as string[];
}
