import type { Config } from "../config/config.ts";
import type { FileRef } from "../contract/ids.ts";
import type { OpenedFile, Session } from "../contract/session.ts";

type FollowedConfig = Pick<Config, "accounts" | "general">;
type Opener = Pick<Session, "openFile">;

/**
 * The live sessions of all accounts, for whoever wants a file of a network: made before the accounts' sessions and the
 * files.
 */
export class RemoteFiles {
  readonly #sessions = new Map<string, Opener>();
  #config: FollowedConfig | null;

  /** `config`: null in tests that have no use for it. */
  constructor(config: FollowedConfig | null = null) {
    this.#config = config;
  }

  /** The configuration that counts from now on. */
  follow(config: FollowedConfig): void {
    this.#config = config;
  }

  /** The setting `Proxy` of an account, or that of `[general]` where there is none. */
  proxyFor(accountKey: string | undefined): string {
    const own = this.#config?.accounts.get(accountKey ?? "")?.settings["Proxy"];
    return typeof own === "string" ? own : (this.#config?.general.proxy ?? "");
  }

  /** A session is there, instead of the one before. The function it gives takes it away again. */
  attach(accountKey: string, session: Opener): () => void {
    this.#sessions.set(accountKey, session);
    return () => {
      if (this.#sessions.get(accountKey) === session) this.#sessions.delete(accountKey);
    };
  }

  /** Whether the account has a session here. */
  isConnected(accountKey: string): boolean {
    return this.#sessions.has(accountKey);
  }

  /** Through the session that the account has now. Never rejects; with code `network` it may be there later. */
  async open(accountKey: string, ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    const session = this.#sessions.get(accountKey);
    if (session === undefined) return failed("network", "its network is not connected now");
    try {
      return (await session.openFile?.(ref, signal)) ?? failed("unsupported", "its network gives no files");
    } catch (error) {
      return failed("bug", `the adapter failed unexpectedly: ${String(error)}`);
    }
  }
}

function failed(code: "network" | "unsupported" | "bug", message: string): OpenedFile {
  return { ok: false, why: { code, message } };
}
