import type { FileRef } from "../contract/ids.ts";
import type { OpenedFile, Session } from "../contract/session.ts";

type Opener = Pick<Session, "openFile">;

/**
 * The live sessions of all accounts, for whoever wants a file of a network: made before the accounts' sessions and the
 * files.
 */
export class RemoteFiles {
  readonly #sessions = new Map<string, Opener>();

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
