import type { Clock } from "./host.ts";

/**
 * What a protocol says about itself before anything of it runs: its name and its settings. Plain data, but for its
 * functions. The schema is JSON Schema plus the keywords of `SettingSchema`; types, validation, defaults, environment
 * overrides and the settings page of the documentation all come from it.
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
  /** How channels are written; any non-empty text when absent. */
  readonly channel?: ChannelRule;
  /** `options` that a gateway's entry may have, by key in lower case. */
  readonly options?: Readonly<Record<string, OptionSchema>>;
  /** Settings of the reference that have no effect here, beside the shared ones. */
  readonly ignored?: readonly IgnoredSetting[];
  /** The setting that tells one network from another: two accounts on one network share their rooms. */
  readonly network?: string;
  /** The setting that tells groups of rooms on one network apart: a name is another room in each. */
  readonly division?: string;
  /**
   * The name of a room over all networks of this protocol, by the name of the channel and the value of `network`.
   * Absent: a channel is another room on each network.
   */
  readonly room?: (channel: string, network: string) => string;
  /** The setting with our name on a network: two accounts with one name on one network get in each other's way. */
  readonly login?: string;
  /**
   * Where an account's sessions connect to, for people, as in `chat.example.org:6697 (TLS)`; null where the settings do
   * not say it. Pure; holds no secret.
   */
  readonly address?: (settings: Readonly<Record<string, unknown>>) => string | null;
  /**
   * The channel of an account that is for those who look after its others, in lower case: nothing of it may get to
   * where these are linked. Null: it has none. Pure.
   */
  readonly moderationChannel?: (settings: Readonly<Record<string, unknown>>) => string | null;
  /** Ways to take part of which less is true than the capabilities say, for the documentation. */
  readonly lesser?: readonly LesserWay[];
  /**
   * Its folder holds what cannot be had again from elsewhere: where machines share accounts, it stays with its machine
   * while that one lives, and goes back to it.
   */
  readonly keepsData?: true;
  /** What settings that fit one by one say together. Pure; gets all settings of the schema, each valid by itself. */
  readonly check?: (settings: Readonly<Record<string, unknown>>) => readonly SettingIssue[];
  /** Of the command line: `rialto <protocol> <command> <account>`. */
  readonly commands?: readonly (AccountCommand | ActingCommand)[];
}

/** What becomes of a message that may have been sent. */
interface LesserWay {
  /** To follow the manifest's title and a comma, as in "webhooks alone". */
  readonly title: string;
  /** When it is unknown whether it was sent. */
  readonly unknown: string;
  /** After a crash of Rialto, and of the network. */
  readonly rialto: string;
  readonly network: string;
}

interface NamedCommand {
  readonly name: string;
  /** For the help, as in "print the …". */
  readonly summary: string;
}

/** Something that is done for one account. Its code is loaded when it is called. */
interface ActingCommand extends NamedCommand {
  readonly load: () => Promise<{ readonly act: (args: ActingArgs) => Promise<Acted> }>;
}

export interface ActingArgs {
  /** Validated; what the account logs in with may be absent. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly name: string;
  /** As `OpenArgs.folder`. */
  readonly folder: string;
  readonly clock: Clock;
  /** Resolves after `ms`, or when `signal` is aborted. */
  readonly pause: (ms: number) => Promise<void>;
  /** A new secret of 64 characters. */
  readonly random: () => string;
  /** Shows a line at once. Holds no secret. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** `why`: a sentence for people. Holds no secret. */
export type Acted = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Something that follows from the settings of one account. Pure. */
export interface AccountCommand extends NamedCommand {
  /** It helps to make what the settings lack: where the account is not there yet, it gets their defaults. */
  readonly evenBefore?: boolean;
  readonly run: (
    settings: Readonly<Record<string, unknown>>,
    account: {
      readonly name: string;
      /** A new secret of 64 characters. */
      readonly random: () => string;
    },
  ) => {
    /** May hold secrets. */
    readonly output: string;
    /** What there is to do with it, for people; one sentence each, without a secret. */
    readonly notes: readonly string[];
  };
}

export interface SettingIssue {
  /** With an error the setting counts as one that cannot be read. */
  readonly severity: "error" | "warning";
  /** By name: where it is written, the issue is shown. */
  readonly setting: string;
  /** What is wrong and how to fix it, to follow "<setting> of <account>". Holds no value of a secret. */
  readonly message: string;
  /** There is nothing to log in with yet. Commands of the account run all the same, because they may make it. */
  readonly lacksLogin?: boolean;
}

/** How a text must look. */
export interface TextRule {
  /** Source of a JavaScript regular expression (flag u) for the whole text. */
  readonly pattern: string;
  /** For people, to follow what the text is: `must begin with # …`. */
  readonly hint: string;
}

interface ChannelRule extends TextRule {
  /** ASCII letters are turned to lower case. */
  readonly lowerCase: boolean;
}

export interface OptionSchema {
  readonly description: string;
  /** Never shown in a message. */
  readonly secret: boolean;
  readonly rule?: TextRule;
}

/** A setting that is accepted, and ignored. */
export interface IgnoredSetting {
  readonly name: string;
  /**
   * `later`: will work one day. `unneeded`: there is nothing left for it to do. `replaced`: something else has to be
   * set in its place.
   */
  readonly state: "later" | "unneeded" | "replaced";
  /** One clause: what it is for, or what to use instead. */
  readonly why: string;
}

/** What has no default must be written, so all settings are there after loading. */
export interface SettingsSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, SettingSchema>>;
}

/** The settings of a schema after loading, by name; of a schema of which no more is known, any. */
export type SettingsOf<S extends SettingsSchema> = string extends keyof S["properties"]
  ? Record<string, unknown>
  : { readonly [Name in keyof S["properties"]]: ValueOf<S["properties"][Name]> };

/** Values that were read by this schema, by their names. */
export function settingsBy<S extends SettingsSchema>(
  _schema: S,
  values: Readonly<Record<string, unknown>>,
): SettingsOf<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- config/settings.ts made them what the schema says
  return values as SettingsOf<S>;
}

/** `never` for a schema whose type is not said `as const`. */
type ValueOf<S> = S extends { readonly enum: readonly (infer Choice)[] }
  ? Choice
  : S extends { readonly type: "boolean" }
    ? boolean
    : S extends { readonly type: "integer" }
      ? number
      : S extends { readonly type: "string" }
        ? string
        : S extends { readonly type: "array"; readonly items: infer Items }
          ? Items extends readonly unknown[]
            ? { readonly [At in keyof Items]: ValueOf<Items[At]> }
            : readonly ValueOf<Items>[]
          : never;

/**
 * The part of JSON Schema that a setting may use, and our own keywords: `rule`, `lines`, `secret`, `protects`,
 * `placeholders`, `emptyPlaceholders`, `zeroIsDefault`, `restart`, `onlyWith`, `notWith`, `needs`, `idleValues` and the
 * formats.
 */
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
  /** Of a list: a text stands for its lines, not for its words. */
  readonly lines?: boolean;
  /**
   * `regex`: RE2 syntax. `bind-address`: `host:port` to listen on, which no two accounts may share. `host-port`:
   * `host:port` to connect to. `path`: absolute once read; a relative one counts from the folder of the configuration
   * file. `duration`, of an integer: milliseconds once read, written as in `90s`, `5m`, `1h30m`; minimum and maximum
   * are in milliseconds.
   */
  readonly format?: string;
  /** Of a text. */
  readonly rule?: TextRule;
  /** Of a text: what may be in braces, as in `{NICK}`; other words in braces are taken for slips. */
  readonly placeholders?: readonly string[];
  /**
   * Of a text with `placeholders`: more names that are accepted and stay empty, and why. With one of them, a text
   * without any of the `needed` ones counts as not written.
   */
  readonly emptyPlaceholders?: {
    readonly names: readonly string[];
    readonly why: string;
    readonly needed: readonly string[];
  };
  /** For people: how it is written, to follow "such as". */
  readonly examples?: readonly string[];
  /** Never shown in a message, nor is any entry of a list; may be read from a file named by the environment. */
  readonly secret?: boolean;
  /**
   * A value that cannot be read keeps the account down; of any other setting, the default is used then. For TLS,
   * logins, addresses, filters and mentions. Secrets, addresses by their format and settings without a default do so
   * without saying it.
   */
  readonly protects?: boolean;
  /** 0 and an empty text stand for the default. */
  readonly zeroIsDefault?: boolean;
  /**
   * Of `[general]`: a change has no effect before the program is started again. Every other setting is applied while it
   * runs.
   */
  readonly restart?: boolean;
  /** Names of settings of the same schema: without all of them it has no effect. */
  readonly onlyWith?: readonly string[];
  /** Names of settings of the same schema: with one of them it has no effect. */
  readonly notWith?: readonly string[];
  /** Of a shared setting: what the account must have for it; see `config/idle.ts`. */
  readonly needs?: SettingNeed;
  /** Of an item with an `enum`: values that have no effect, each with the reason. */
  readonly idleValues?: Readonly<Record<string, string>>;
}

/**
 * What only some accounts have: pictures of senders, edits, joins and leaves of people; and, as every account but those
 * of the HTTP API, texts that Rialto writes for people.
 */
export type SettingNeed = "pictures" | "edits" | "members" | "texts";
