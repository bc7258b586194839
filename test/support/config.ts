export type Settings = Readonly<Record<string, unknown>>;

export interface Directions {
  readonly enable?: boolean;
  readonly inout?: readonly string[];
  readonly in?: readonly string[];
  readonly out?: readonly string[];
}

/** TOML for API accounts (by the name after `api.`) and the gateways that hold them. */
export function toml(parts: {
  readonly general?: Settings;
  readonly accounts: Readonly<Record<string, Settings>>;
  readonly gateways: Readonly<Record<string, Directions>>;
}): string {
  const lines: string[] = parts.general ? ["[general]", ...settingLines(parts.general)] : [];
  for (const [name, settings] of Object.entries(parts.accounts)) lines.push(`[api.${name}]`, ...settingLines(settings));
  for (const [name, gateway] of Object.entries(parts.gateways)) {
    lines.push("[[gateway]]", `name = ${JSON.stringify(name)}`, `enable = ${gateway.enable ?? true}`);
    for (const direction of ["inout", "in", "out"] as const) {
      for (const account of gateway[direction] ?? []) {
        lines.push(`[[gateway.${direction}]]`, `account = "api.${account}"`, `channel = "api"`);
      }
    }
  }
  return `${lines.join("\n")}\n`;
}

// A JSON string, number, boolean or array of these is the same in TOML.
function settingLines(settings: Settings): string[] {
  return Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
}
