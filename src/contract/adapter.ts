import type { Capabilities } from "./capabilities.ts";
import type { Host } from "./host.ts";
import type { Cursor } from "./ids.ts";
import type { Manifest } from "./manifest.ts";
import type { AnyHandlers, Ended, Handlers, Session } from "./session.ts";

export interface OpenArgs<S> {
  /** The account's settings, validated by the schema of the manifest. */
  readonly settings: S;
  readonly host: Host;
  /** The newest that `Host.accept` has made durable for this account, in any earlier session; null: there is none. */
  readonly since: Cursor | null;
  /**
   * Where the account may keep files of its own; the adapter makes the folder, for nobody else to read. Absent in tests
   * that have no use for it.
   */
  readonly folder?: string;
  /** Only to see whether it works: nothing that waits on the network may be passed over or acknowledged. */
  readonly trial?: true;
  /** Aborted when the try is to be given up. */
  readonly signal: AbortSignal;
}

/** A connection that is logged in, or why there is none. Never a rejection. */
export type Opened<H extends AnyHandlers = AnyHandlers> =
  | { readonly ok: true; readonly session: Session<H> }
  | { readonly ok: false; readonly ended: Ended };

/** A network as the core sees it. Importing it loads no client library; `load` does. */
export interface Adapter {
  readonly manifest: Manifest;
  readonly capabilities: Capabilities;
  load(): Promise<{ open(args: OpenArgs<Readonly<Record<string, unknown>>>): Promise<Opened> }>;
}

export interface AdapterSpec<C extends Capabilities, S> {
  readonly manifest: Manifest;
  /** The most it can ever do. */
  readonly capabilities: C;
  load(): Promise<{ open(args: OpenArgs<S>): Promise<Opened<Handlers<C>>> }>;
}

/** Seals the type of the settings in: they were validated by the manifest's schema, which is where `S` comes from. */
export function defineAdapter<const C extends Capabilities, S>(spec: AdapterSpec<C, S>): Adapter {
  return {
    manifest: spec.manifest,
    capabilities: spec.capabilities,
    load: async () => {
      const code = await spec.load();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema that `S` comes from has read the settings
      return { open: async (args) => await code.open(args as OpenArgs<S>) };
    },
  };
}
