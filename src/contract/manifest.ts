/**
 * What a protocol says about itself before anything of it runs: its name and its settings. Plain data.
 * The schema is JSON Schema (made with TypeBox) plus the keywords of `SettingSchema`; validation, defaults,
 * environment overrides and the settings page of the documentation all come from it.
 */
export interface Manifest {
  readonly protocol: string;
  /** For people: "HTTP API". */
  readonly title: string;
  readonly schema: SettingsSchema;
  /** Defaults of shared settings that differ for this protocol, by setting name. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** The one channel an account of this protocol has, whatever the configuration calls it. */
  readonly onlyChannel?: string;
}

export interface SettingsSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, SettingSchema>>;
  /** Settings that are always present after loading: they have a default or must be written. */
  readonly required?: readonly string[];
}

/** The part of JSON Schema that a setting may use, and our own keywords `secret`, `zeroIsDefault` and the formats. */
export interface SettingSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  /** Of a list; an array of schemas is a tuple. */
  readonly items?: SettingSchema | readonly SettingSchema[];
  /** `regex`: RE2 syntax. `bind-address`: `host:port` to listen on, which no two accounts may share. */
  readonly format?: string;
  /** Never shown in a message; may be read from a file named by the environment. */
  readonly secret?: boolean;
  /** 0 stands for the default. */
  readonly zeroIsDefault?: boolean;
}
