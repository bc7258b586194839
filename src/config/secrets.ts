import type { Config } from "./config.ts";
import type { Manifest, SettingSchema } from "../contract/manifest.ts";
import { SECRET_MIN } from "../lib/scrub.ts";
import { generalSchema } from "./schema.ts";

/** The values of all settings and options that are marked as secret, for the log's sink to scrub. */
export function secretsOf(config: Config, protocols: ReadonlyMap<string, Manifest>): readonly string[] {
  const secrets: unknown[] = [];
  for (const [name, schema] of Object.entries<SettingSchema>(generalSchema.properties)) {
    if (schema.secret === true) secrets.push(config.general.values[name]);
  }
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
  return secrets
    .flat()
    .flatMap((secret) => (typeof secret === "string" ? withKey(secret) : []))
    .filter(({ length }) => length >= SECRET_MIN);
}

/**
 * What opens a webhook is the end of its address, which others may write in another way; what opens a proxy is what
 * stands before its host.
 */
function withKey(secret: string): readonly string[] {
  const { password = "" } = /^[a-z][a-z\d]*:\/\/[^\s/?#@:]*:(?<password>[^\s/?#@]+)@/u.exec(secret)?.groups ?? {};
  if (password !== "") return [secret, password, decoded(password)];
  const [, key] = /^https?:\/\/[^?#]*\/([^/?#]{8,})\/?$/u.exec(secret) ?? [];
  return key === undefined ? [secret] : [secret, key];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
