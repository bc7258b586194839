import { compileInbound } from "../../src/gateway/inbound.ts";
import type { Routes } from "../../src/gateway/routes.ts";
import { compileView } from "../../src/gateway/view.ts";
import { ApiAccount, type PollAnswer } from "../../src/http/api/account.ts";
import { dispatchTo } from "../../src/http/api/dispatch.ts";
import { Ingest } from "../../src/http/api/ingest.ts";
import { LogError } from "../../src/log/errors.ts";
import type { Log } from "../../src/log/log.ts";
import type { Message } from "../../src/contract/message.ts";
import type { Life } from "./life.ts";
import { textFor, tokensIn } from "./tokens.ts";
import type { Config } from "../../src/config/config.ts";
import type { Logger } from "../../src/logger.ts";
import type { Counts } from "./counts.ts";
import type { Loop } from "./loop.ts";
import type { Witness } from "./witness.ts";

/** What is needed of the world around. */
interface Surroundings {
  readonly config: Config;
  readonly logger: Logger;
  readonly loop: Loop;
  readonly witness: Witness;
  readonly counts: Counts;
  /** How often the program was started. */
  readonly lives: number;
}

const BUFFER = 100_000;

interface Account {
  readonly readers: ApiAccount;
  readonly ingest: Ingest;
}

/** What a client of an API account has read; it outlives the program. */
interface Reader {
  /** `gateway m17` → how often it came. */
  readonly read: Map<string, number>;
  /** Of the last answer, and in which life of the program it was given. */
  last: { readonly keys: ReadonlySet<string>; readonly life: number };
}

/** The HTTP API without its sockets: clients post and poll. */
export class Api {
  readonly #world: Surroundings;
  readonly #readers = new Map<string, Reader>();
  #accounts = new Map<string, Account>();
  #life: Life | null = null;

  constructor(world: Surroundings) {
    this.#world = world;
  }

  get names(): readonly string[] {
    return [...this.#world.config.accounts.keys()].filter((key) => key.startsWith("api."));
  }

  async open(log: Log, routes: Routes, life: Life): Promise<void> {
    const { config, logger, loop } = this.#world;
    this.#life = life;
    this.#accounts = new Map();
    const nowMs = (): number => loop.nowMs();
    for (const name of this.names) {
      const account = config.accounts.get(name);
      if (account === undefined) continue;
      const view = compileView(account, config.accounts);
      const readers = await ApiAccount.open({ account, buffer: BUFFER, log, routes, view, logger, nowMs });
      const ingest = new Ingest({ account, log, routes, inbound: compileInbound(account), logger, nowMs });
      this.#accounts.set(name, { readers, ingest });
      if (!this.#readers.has(name)) this.#readers.set(name, emptyReader());
    }
    const readers = new Map(Array.from(this.#accounts, ([name, account]) => [name, account.readers]));
    log.tail(dispatchTo(readers, routes));
  }

  async close(): Promise<void> {
    this.#accounts = new Map();
    await Promise.resolve();
  }

  /** A client posts, and hears what became of it in its own time. */
  post(name: string, gateway: string, message: number): void {
    const { witness } = this.#world;
    const life = this.#life;
    if (life === null || life.cross()) return;
    const text = textFor({ message, edit: 0, parts: 1 });
    const draft = {
      text,
      username: "client",
      userid: "",
      avatar: "",
      gateway,
      parent_id: "",
      id: "",
      event: "",
      files: [],
      hops: 0,
    };
    void this.#accounts
      .get(name)
      ?.ingest.post(draft, null)
      .then((posted) => {
        if (!posted.ok || life.cross()) return;
        witness.check(
          "accepted is kept",
          witness.accepted.has(message),
          () => `m${message} was answered 200, and is not in the log`,
        );
      });
  }

  /** A client polls; it may go before it has all of the answer. */
  poll(name: string, breaks: boolean): void {
    const life = this.#life;
    const reader = this.#readers.get(name);
    if (life === null || reader === undefined || life.cross()) return;
    void this.#accounts
      .get(name)
      ?.readers.poll()
      .then((answer) => {
        if (answer instanceof LogError || life.cross()) return;
        if (breaks) {
          this.#world.counts.fault("poll broken");
          answer.broken();
          return;
        }
        this.#take(name, reader, answer);
      });
  }

  #take(name: string, reader: Reader, answer: PollAnswer): void {
    const { witness, lives } = this.#world;
    const keys = new Set<string>();
    for (const { text, gateway, account } of JSON.parse(answer.body) as Message[]) {
      witness.check("privacy", !account.startsWith("rialto."), () => `${name} read of an outage: ${text}`);
      const token = tokensIn(text).at(-1);
      if (token === undefined) continue;
      const key = `${gateway} m${token.message}e${token.edit}`;
      const times = (reader.read.get(key) ?? 0) + 1;
      const isRepeat = times > 1 && reader.last.life < lives && reader.last.keys.has(key);
      witness.check("poll once", times === 1 || isRepeat, () => `${name} read ${key} ${times} times`);
      reader.read.set(key, times);
      keys.add(key);
    }
    if (keys.size > 0) reader.last = { keys, life: lives };
    answer.delivered();
  }

  /** Whether a client has read it in the end. */
  hasRead(name: string, gateway: string, message: number): boolean {
    return (this.#readers.get(name)?.read.get(`${gateway} m${message}e0`) ?? 0) > 0;
  }
}

function emptyReader(): Reader {
  return { read: new Map(), last: { keys: new Set(), life: 0 } };
}
