import path from "node:path";
import type { StatusView } from "../../src/admin/views.ts";
import { ask } from "../../src/cli/client.ts";
import { statusText } from "../../src/cli/status-view.ts";
import { EventLabel, type Message } from "../../src/contract/message.ts";
import type { ApiClient, Fields } from "../support/client.ts";
import type { Rialto } from "../support/rialto.ts";
import type { ApiStream } from "../support/stream.ts";
import { eventually, pauseAfter } from "../support/wait.ts";
import type { Asked, Network, Side } from "./network.ts";

/** What comes through a back-off, on a busy machine. */
const PATIENCE_MS = 60_000;

/** Servers, and a gateway of Rialto between them and its API. */
export class Town<S extends Side> {
  readonly sides: readonly S[];
  /** TOML: its accounts and its gateway. */
  readonly config: string;
  readonly #gateway: string;
  readonly #accounts: readonly string[];
  readonly #streams: ApiStream[] = [];
  readonly #read = new Map<ApiStream, Message[]>();
  readonly #patienceMs: number;
  #rialto: Rialto | null = null;
  #fences = 0;

  /** `at`: its number among the towns of one Rialto. */
  constructor({ protocol, patienceMs = PATIENCE_MS }: Network<S>, sides: readonly S[], at: number) {
    this.sides = sides;
    this.#gateway = `square${at}`;
    this.#accounts = sides.map((_, side) => `${protocol}.town${at}side${side}`);
    this.config = configuration(this.#gateway, this.#accounts, sides);
    this.#patienceMs = patienceMs;
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

  get #program(): Rialto {
    if (this.#rialto === null) throw new Error("the program is not running yet");
    return this.#rialto;
  }

  get #writer(): ApiClient {
    return this.#program.client(`writer-${this.#gateway}`);
  }

  /** Rialto has started; from now on, what its API shows is read. */
  async listen(rialto: Rialto): Promise<void> {
    this.#rialto = rialto;
    this.#streams.push(await this.#program.client(`reader-${this.#gateway}`).stream());
  }

  /** The API says something; the id that it got. */
  async post(text: string, more: Fields = {}): Promise<string> {
    return (await this.#writer.say({ gateway: this.#gateway, username: "anna", userid: "anna", text, ...more })).id;
  }

  /** Anna types at the API; the status of the answer. */
  async type(): Promise<number> {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ author: { id: "anna", name: "anna" } });
    const path = `/v1/gateways/${this.#gateway}/typing`;
    return (await this.#writer.request(path, { method: "POST", headers, body })).status;
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

  /** What Rialto printed about this town. */
  printed(): string {
    const isOurs = (line: string): boolean => [...this.#accounts, this.#gateway].some((name) => holdsName(line, name));
    return this.#program.output().split("\n").filter(isOurs).join("\n");
  }

  /** What `rialto status` prints about this town. */
  async status(): Promise<string> {
    return statusText(await this.#status(), { width: Infinity, colour: false });
  }

  /** Of how many messages Rialto, in its present life, has found that it cannot tell whether they have arrived. */
  async unconfirmed(): Promise<number> {
    await eventually(
      async () => (await this.#status()).accounts.flatMap(({ channels }) => channels.flatMap(({ lanes }) => lanes)),
      (lanes) => lanes.every(({ waiting }) => waiting === 0),
      () => `everything to be settled; Rialto printed:\n${this.printed().slice(-3_000)}`,
      this.#patienceMs,
    );
    const counts = (await this.#ask("/metrics")).matchAll(/^rialto_unconfirmed_total\{gateway="([^"]+)".*\} (\d+)$/gmu);
    return [...counts].reduce((sum, [, gateway, count]) => sum + (gateway === this.#gateway ? Number(count) : 0), 0);
  }

  /** Whether this lane goes to one of our servers, or to the API. */
  owns(lane: string): boolean {
    return holdsName(lane, this.#gateway);
  }

  async #status(): Promise<StatusView> {
    const status = JSON.parse(await this.#ask("/api/v1/status")) as StatusView;
    const accounts = status.accounts.filter(({ account }) => this.#accounts.includes(account));
    const troubles = status.troubles.filter(({ of }) => this.#accounts.some((name) => holdsName(of, name)));
    return { ...status, accounts, troubles };
  }

  async #ask(address: string): Promise<string> {
    const socket = path.join(this.#program.dataPath, "rialto.sock");
    return (await ask(socket, { method: "GET", path: address })).body;
  }

  /** Fails when nothing has come to the servers or the API for too long. */
  async until(is: () => boolean, what: string): Promise<void> {
    for (let [sinceMs, before] = [Date.now(), -1]; ;) {
      const begunMs = performance.now();
      if (is()) return;
      const come = this.sides.reduce((sum, side) => sum + side.standing().length, this.told().length);
      const pause = pauseAfter(performance.now() - begunMs);
      if (come !== before) [sinceMs, before] = [Date.now(), come];
      if (Date.now() - sinceMs > this.#patienceMs)
        throw new Error(`waited for ${what}; Rialto printed:\n${this.printed().slice(-3_000)}`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

const holdsName = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`, "u").test(text);

function configuration(gateway: string, names: readonly string[], sides: readonly Side[]): string {
  const accounts = sides.map(({ settings }, at) => `[${names[at]}]\n${settings}`);
  const rooms = sides.map(({ address = "town" }, at) => [names[at], address]);
  const clients = ["writer", "reader"].map((name) => `api.${name}-${gateway}`);
  const bridges = [...rooms, ...clients.map((name) => [name, "api"])].map(
    ([account, channel]) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`,
  );
  const apis = clients.map((name) => `[${name}]\nFullEvents = true\nBuffer = 10000`);
  return [...accounts, ...apis, `[[gateway]]\nname = "${gateway}"\nenable = true`, ...bridges, ""].join("\n");
}
