import type { Ids, Known, Reaction, Seq, Subject } from "../log.ts";
import { type WorkerConnection, expectReply } from "./connection.ts";
import type { FindRequest, KnownRequest, ReactionsRequest, RefsRequest } from "./protocol.ts";

/** What the worker knows of ids. */
export class SqliteIds implements Ids {
  readonly #connection: WorkerConnection;
  readonly #open: () => void;

  /** `open` throws once nothing may be asked any more. */
  constructor(connection: WorkerConnection, open: () => void) {
    this.#connection = connection;
    this.#open = open;
  }

  async find(place: Subject, refs: readonly string[]): Promise<Known | null> {
    this.#open();
    const reply = await this.#connection.call<FindRequest>({ is: "find", place, refs });
    return expectReply("known", reply).known;
  }

  async get(seq: Seq): Promise<Known | null> {
    this.#open();
    const reply = await this.#connection.call<KnownRequest>({ is: "get", seq });
    return expectReply("known", reply).known;
  }

  async refs(seq: Seq, lane: string | null): Promise<readonly string[]> {
    this.#open();
    const reply = await this.#connection.call<RefsRequest>({ is: "refs", seq, lane });
    return expectReply("refs", reply).refs;
  }

  async reactions(seq: Seq): Promise<readonly Reaction[]> {
    this.#open();
    const reply = await this.#connection.call<ReactionsRequest>({ is: "reactions", seq });
    return expectReply("reactions", reply).reactions;
  }
}
