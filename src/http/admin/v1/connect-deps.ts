import type { OptionSchema, SettingSchema } from "../../../contract/manifest.ts";

/** What helps to link networks: what can be asked, whether it works, and how it is written. */
export interface ConnectDeps {
  schema(): readonly ProtocolView[];
  /** Two on this machine that are free now, for accounts that listen. */
  freeAddresses(): Promise<readonly string[]>;
  tryAccount(asked: OnlineAsked): Promise<OnlineResult | "busy">;
  add(asked: ConnectAsked): Promise<ConnectResult>;
}

/** One protocol that an account may have. */
export interface ProtocolView {
  readonly protocol: string;
  readonly title: string;
  /** JSON Schema, each by its name. */
  readonly settings: Readonly<Record<string, SettingSchema>>;
  /** Of `settings`, what has to be asked before anything works, in this order. */
  readonly first: readonly string[];
  /** The only channel there is, whatever it is called. */
  readonly onlyChannel: string | null;
  /** How channels are written; null: every text will do. */
  readonly channel: { readonly pattern: string; readonly hint: string } | null;
  /** What can be said of one channel beside its name, such as a password, by name in lower case. */
  readonly options: Readonly<Record<string, OptionSchema>>;
  /** Accounts of it that the configuration has. */
  readonly accounts: readonly string[];
}

export interface OnlineAsked {
  readonly protocol: string;
  /** Without the protocol; of one that is there already when `settings` is absent. */
  readonly name: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Empty: none is joined. */
  readonly channel: string;
  /** Of the channel, as in the gateway's entry. */
  readonly options?: Readonly<Record<string, string>>;
}

export interface OnlineResult {
  readonly steps: readonly OnlineStep[];
  /** Those that the network lists cheaply. */
  readonly rooms: readonly string[];
}

export interface OnlineStep {
  readonly name: "settings" | "running" | "connect" | "channel";
  readonly ok: boolean;
  readonly why: string;
  readonly remedy: string;
}

/** Accounts that are to be there, and the gateway that links them. */
export interface ConnectAsked {
  readonly accounts: readonly Omit<OnlineAsked, "channel" | "options">[];
  readonly gateway: {
    readonly name: string;
    readonly bridges: readonly ({ readonly account: string } & Pick<OnlineAsked, "channel" | "options">)[];
  };
}

export type ConnectResult =
  /** `added`: what comes to the file; `text`: all of it then. Masks stand for the secrets that were there before. */
  | { readonly ok: true; readonly text: string; readonly added: string; readonly etag: string }
  | { readonly ok: false; readonly why: string };
