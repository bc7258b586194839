import path from "node:path";
import { onTestFailed, onTestFinished } from "vitest";
import { parseCommand } from "../../src/cli/args.ts";
import { control } from "../../src/cli/control.ts";
import { EventLabel, type Message } from "../../src/contract/message.ts";
import { receiptsIn } from "../irc/world.ts";
import type { ApiClient, Fields } from "../support/client.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import type { ApiStream } from "../support/stream.ts";
import { eventually } from "../support/wait.ts";
import type { Asked, Network, Side } from "./network.ts";

const GATEWAY = "square";
/** What comes through a back-off, on a busy machine. */
const PATIENCE_MS = 60_000;

interface TownOptions {
  /** How Rialto speaks. */
  readonly mode?: string;
  /** So many servers, each with an account. */
  readonly count?: number;
}

/** Servers, and Rialto between them and its API; it can be stopped and started again with its data. */
export class Town<S extends Side> {
  readonly sides: readonly S[];
  readonly #config: string;
  readonly #streams: ApiStream[] = [];
  readonly #read = new Map<ApiStream, Message[]>();
  readonly #patienceMs: number;
  #rialto: Rialto | null = null;
  #fences = 0;

  private constructor({ protocol, patienceMs = PATIENCE_MS }: Network<S>, sides: readonly S[]) {
    this.sides = sides;
    this.#config = configuration(protocol, sides);
    this.#patienceMs = patienceMs;
  }

  static async start<S extends Side>(network: Network<S>, options: TownOptions = {}): Promise<Town<S>> {
    const town = await Town.found(network, options);
    await town.live();
    return town;
  }

  /** The same without Rialto, which is to be started by `begin` or `live`. */
  static async found<S extends Side>(network: Network<S>, { mode, count = 1 }: TownOptions = {}): Promise<Town<S>> {
    const starting = Array.from({ length: count }, async () => await network.found(mode ?? network.modes[0]));
    const town = new Town(network, await Promise.all(starting));
    onTestFailed(() => console.error(`the program printed:\n${town.rialto.output().slice(-4_000)}`));
    return town;
  }

  get side(): S {
    const [side] = this.sides;
    if (side === undefined) throw new Error("there is no server");
    return side;
  }

  get pair(): readonly [S, S] {
    const [one, other] = this.sides;
    if (one === undefined || other === undefined) throw new Error("there are no two servers");
    return [one, other];
  }

  get rialto(): Rialto {
    if (this.#rialto === null) throw new Error("the program is not running yet");
    return this.#rialto;
  }

  get writer(): ApiClient {
    return this.rialto.client("writer");
  }

  /** Starts Rialto, with the data of before; resolves once it hears and is heard. */
  async live(): Promise<void> {
    await this.begin();
    await this.fence("hello");
  }

  /** Only starts it. */
  async begin(): Promise<void> {
    const dataPath = this.#rialto?.dataPath;
    const rialto = await startRialto({ config: this.#config, ...(dataPath !== undefined && { dataPath }) });
    onTestFinished(async () => await rialto.dispose());
    this.#rialto = rialto;
    this.#streams.push(await rialto.client("reader").stream());
  }

  /** The API says something; the id that it got. */
  async post(text: string, more: Fields = {}): Promise<string> {
    return (await this.writer.say({ gateway: GATEWAY, username: "anna", userid: "anna", text, ...more })).id;
  }

  async edit(id: string, text: string): Promise<void> {
    await this.post(text, { id, event: EventLabel.edit });
  }

  async erase(id: string): Promise<void> {
    await this.post("", { id, event: EventLabel.delete });
  }

  async react(id: string, emoji: string): Promise<void> {
    await this.post(emoji, { id, event: EventLabel.reaction });
  }

  /** All that the API has shown to its reader, in all lives. */
  told(): readonly Message[] {
    return this.#streams.flatMap((stream) => {
      // It is asked again and again: each line is read once.
      const read = this.#read.get(stream) ?? [];
      this.#read.set(stream, read);
      const news = stream.lines.slice(read.length).map((line) => JSON.parse(line) as Message);
      read.push(...news);
      return read.filter(({ event }) => event !== EventLabel.connected);
    });
  }

  /** The texts of it, in order. */
  texts(): readonly string[] {
    return this.told().map(({ text }) => text);
  }

  /** The same, each message once: after a kill, a reader may be told again what it was told right before. */
  textsOnce(): readonly string[] {
    return [...new Map(this.told().map(({ id, text }) => [id, text])).values()];
  }

  /** What was posted on a server, by the API's way of counting: without changes. */
  heard(text: string): readonly Message[] {
    return this.told().filter((message) => message.event === "" && message.text === text);
  }

  /** What Rialto has posted on a server and still stands there, in order. */
  shown(side: Side = this.side): readonly string[] {
    return side.standing().map(({ text }) => text);
  }

  /** How many say this. */
  count(text: string): number {
    return this.shown().filter((one) => one === text).length;
  }

  /** How many such requests the server has heard. */
  asked({ method, path }: Asked): number {
    const { requests } = this.side.server;
    return requests.filter((one) => one.startsWith(`${method} `) && path.test(one.split(" ")[1] ?? "")).length;
  }

  /** Both ways are open, and what was said on them before has come. */
  async fence(word: string): Promise<void> {
    this.#fences += 1;
    for (const [at, side] of this.sides.entries()) {
      const words = `${word} ${this.#fences} ${at}`;
      await this.post(words);
      await this.until(() => this.shown(side).includes(words), `"${words}" at server ${at}`);
      await side.say(`${words} back`);
      await this.until(() => this.heard(`${words} back`).length > 0, `"${words} back" at the API`);
    }
  }

  /** It is killed, and starts again. */
  async die(): Promise<void> {
    await this.rialto.kill9();
    await this.begin();
  }

  /** What `rialto status` prints. */
  async status(): Promise<string> {
    const socket = path.join(this.rialto.dataPath, "rialto.sock");
    const command = parseCommand(["status", "--socket", socket], { env: {}, protocols: new Map() });
    if (command.is !== "control") throw new Error("there is no such command");
    const output: string[] = [];
    await control(command, {
      env: {},
      cwd: "/nowhere",
      signal: AbortSignal.timeout(PATIENCE_MS),
      screen: () => ({ width: Infinity, colour: false }),
      tell: (text) => void output.push(text),
      write: (text) => Promise.resolve(output.push(text) > 0),
    });
    return output.join("");
  }

  /** Stops Rialto; of how much that the API said it cannot tell whether it has arrived. */
  async unconfirmed(): Promise<number> {
    await this.rialto.stop();
    const receipts = await receiptsIn(this.rialto.dataPath, { api: "writer", gateway: GATEWAY });
    return receipts.filter(({ state }) => state === "unconfirmed").length;
  }

  async until(is: () => boolean, what: string): Promise<void> {
    await eventually(
      async () => await Promise.resolve(is()),
      (so) => so,
      () => `${what}; Rialto printed:\n${this.rialto.output().slice(-3_000)}`,
      this.#patienceMs,
    );
  }
}

function configuration(protocol: string, sides: readonly Side[]): string {
  const names = sides.map((_, at) => `${protocol}.side${at}`);
  const accounts = sides.map(({ settings }, at) => `[${names[at]}]\n${settings}`);
  const rooms = sides.map(({ address = "town" }, at) => [names[at], address]);
  const bridges = [...rooms, ["api.writer", "api"], ["api.reader", "api"]].map(
    ([account, channel]) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`,
  );
  const apis = ["writer", "reader"].map((name) => `[api.${name}]\nFullEvents = true\nBuffer = 10000`);
  return [...accounts, ...apis, `[[gateway]]\nname = "${GATEWAY}"\nenable = true`, ...bridges, ""].join("\n");
}
