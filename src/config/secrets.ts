import type { Config } from "./config.ts";
import type { Manifest } from "../contract/manifest.ts";

/** The values of all settings that a schema marks as secret, for the log's sink to scrub. */
export function secretsOf(config: Config, protocols: ReadonlyMap<string, Manifest>): readonly string[] {
  const secrets: string[] = [];
  for (const { protocol, settings } of config.accounts.values()) {
    const properties = Object.entries(protocols.get(protocol)?.schema.properties ?? {});
    for (const [name, schema] of properties) {
      const value = settings[name];
      if (schema.secret === true && typeof value === "string" && value !== "") secrets.push(value);
    }
  }
  return secrets;
}
