import type { Answer } from "../site/answer.ts";
import type { Faults, Which } from "../site/faults.ts";
import { type Asked, Site } from "../site/site.ts";
import type { Proxy } from "../proxy.ts";
import { newSecret } from "./clock.ts";
import { Files } from "./files.ts";
import { Groups } from "./groups.ts";
import { Limits } from "./limits.ts";
import { Messages } from "./messages.ts";
import { chatMethods } from "./methods-chats.ts";
import { editMethods } from "./methods-edit.ts";
import { sendMethods } from "./methods-send.ts";
import type { Methods, Parts } from "./parts.ts";
import { type Call, read } from "./requests.ts";
import { Updates } from "./updates.ts";
import { type BotRow, Refusal, tooMany } from "./wire.ts";
import { World } from "./world.ts";

export interface TelegramOptions {
  /** As a server of the Bot API that somebody runs: files lie on the disk, and may be large. */
  readonly isLocal?: boolean;
}

/** Larger bodies break the connection. */
const BODY_MAX = 64 * 1024 * 1024;

/**
 * A server of Telegram's Bot API of our own: what it says, refuses and forgets is what the real one does, by its public
 * description. Tests do what people do by `people.ts`, and break it by `faults`, `limits`, `wire` and the methods here.
 *
 * Stricter than the real one: `parse_mode` and files by address are refused; limits have an exact window; a photo must
 * be a picture; two spellings of an emoji are not one reaction. Looser: no file is converted, so photos and GIFs keep
 * their bytes; file ids are the same for all bots; message ids of groups and private chats are counted by chat; a
 * change of privacy holds at once; webhooks are not called; addresses and phone numbers are found by simple patterns.
 * What the answer to an error in the shape of a request says is ours.
 */
export class FakeTelegram {
  readonly world = new World();
  readonly updates = new Updates(this.world);
  readonly messages = new Messages(this.world, this.updates);
  readonly groups = new Groups(this.world, this.updates, this.messages);
  readonly limits = new Limits(() => this.world.clock.now());
  readonly files: Files;
  /** What went wrong in here: the end of the server fails with it. */
  readonly #faults: unknown[] = [];
  readonly #methods: ReadonlyMap<string, readonly [string, NonNullable<Methods[keyof Methods]>]>;
  readonly #site: Site;
  #base = "";
  /** Polls come by requests, which end with their connections. */
  readonly sockets = { terminate: (): void => this.wire.cut(), see: (): void => undefined };
  #pollsBefore = 0;

  private constructor({ isLocal = false }: TelegramOptions) {
    this.files = new Files(this.world, isLocal);
    const { world, updates, messages, limits, files } = this;
    const parts: Parts = { world, updates, messages, limits, files };
    const methods = { ...sendMethods(parts), ...editMethods(parts), ...chatMethods(parts, this.groups) };
    // Their names are the same in capitals and without.
    this.#methods = new Map(Object.entries(methods).map(([name, method]) => [name.toLowerCase(), [name, method]]));
    this.#site = new Site({
      name: ({ pathname }) => this.#nameOf(pathname),
      most: BODY_MAX,
      answer: async (asked) => await this.#answer(asked),
      upgrade: () => ({ status: 404, bytes: "" }),
      terminate: () => this.updates.release(),
    });
  }

  static async start(options: TelegramOptions = {}): Promise<FakeTelegram> {
    const server = new FakeTelegram(options);
    await server.#site.start();
    server.#base = `http://127.0.0.1:${server.wire.port}`;
    return server;
  }

  /** As the setting `ApiURL` names it. What goes there can be cut and stalled by `wire`. */
  get url(): string {
    return this.#base;
  }

  /** The road to the server. */
  get wire(): Proxy {
    return this.#site.wire;
  }

  /** A method is the path `/sendMessage`, a file `/file/documents/file_1.txt`. */
  get faults(): Faults {
    return this.#site.faults;
  }

  /** Each request, as `POST /sendMessage`, in the order in which they were finished reading. */
  get requests(): readonly string[] {
    return this.#site.requests;
  }

  /** Breaks all connections; the server goes on waiting with the answers of polls that nobody reads any more. */
  cutUnseen(): void {
    this.#pollsBefore = this.#polls;
    this.wire.cut();
  }

  /** Whether somebody has asked for updates since then. */
  get isPolledAgain(): boolean {
    return this.#polls > this.#pollsBefore;
  }

  /** Where the server listens itself, behind `wire`. */
  get port(): number {
    return this.#site.port;
  }

  get #polls(): number {
    return this.requests.filter((one) => one.endsWith(" /getUpdates")).length;
  }

  /** No proxy on the way and no limits, for measurements. */
  unbridle(): void {
    this.limits.off();
    this.#base = `http://127.0.0.1:${this.#site.port}`;
  }

  /** Refuses requests as one too many, and says for how long. */
  limit(which: Which, seconds: number, times = 1): void {
    this.faults.answer(which, refusal(tooMany(seconds)), times);
  }

  /** Refuses requests of a method with an error of its own, as `400`, `Bad Request: PEER_FLOOD`. */
  refuse(method: string, code: number, description: string, times = 1): void {
    this.faults.answer({ path: `/${method}` }, refusal(new Refusal(code, description)), times);
  }

  /** Its token is good no more, as when BotFather is told to make another; the new one is in `bot.token`. */
  revoke(bot: BotRow): void {
    bot.revoked.add(bot.token);
    bot.token = `${bot.user.id}:${newSecret(26)}`;
    this.updates.end(bot, new Refusal(401, "Unauthorized"));
  }

  /** The server goes and comes back: what is stored stays, updates that nobody confirmed as well. */
  async restart(down: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#site.restart(down);
  }

  async stop(): Promise<void> {
    this.updates.release();
    await this.#site.stop();
    await this.files.clear();
    if (this.#faults.length > 0) throw new Error("the server itself failed", { cause: this.#faults[0] });
  }

  #nameOf(pathname: string): string {
    const { kind, rest } = parse(pathname);
    if (kind === "file") return `/file/${rest}`;
    if (kind === "method") return `/${this.#methods.get(rest.toLowerCase())?.[0] ?? rest}`;
    return pathname;
  }

  async #answer(asked: Asked): Promise<Answer> {
    const { kind, token, rest } = parse(asked.url.pathname);
    try {
      if (kind === null || !/^\d+:[\w-]{20,}$/.test(token)) throw new Refusal(404, "Not Found");
      const bot = this.#botOf(token);
      if (kind === "file") return this.#file(rest);
      const found = this.#methods.get(rest.toLowerCase());
      if (found === undefined) throw new Refusal(404, "Not Found");
      return { json: { ok: true, result: await this.#call(found[1], { bot, args: read(asked) }) } };
    } catch (error) {
      if (error instanceof Refusal) return refusal(error);
      this.#faults.push(error);
      return refusal(new Refusal(500, "Internal Server Error"));
    }
  }

  async #call(method: NonNullable<Methods[keyof Methods]>, call: Call): Promise<unknown> {
    return await method(call);
  }

  #botOf(token: string): BotRow {
    const bot = [...this.world.bots.values()].find((one) => one.token === token);
    if (bot === undefined) throw new Refusal(401, "Unauthorized");
    if (bot.loggedOut) throw new Refusal(400, "Logged out");
    return bot;
  }

  #file(at: string): Answer {
    const answer = this.files.download(decodeURIComponent(at));
    if (answer === null) throw new Refusal(404, "Not Found");
    return answer;
  }
}

interface Path {
  readonly kind: "method" | "file" | null;
  readonly token: string;
  readonly rest: string;
}

function parse(pathname: string): Path {
  const [, file, token = "", rest = ""] = /^(\/file)?\/bot([^/]*)\/(.*)$/.exec(pathname) ?? [];
  if (token === "") return { kind: null, token, rest };
  return { kind: file === undefined ? "method" : "file", token: decodeURIComponent(token), rest };
}

function refusal({ code, message, parameters }: Refusal): Answer {
  const wait = parameters?.retry_after;
  return {
    status: code,
    headers: wait === undefined ? {} : { "retry-after": String(wait) },
    json: { ok: false, error_code: code, description: message, ...(parameters !== null && { parameters }) },
  };
}
