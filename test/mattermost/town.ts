import { onTestFailed, onTestFinished } from "vitest";
import { EventLabel, type Message } from "../../src/contract/message.ts";
import { receiptsIn } from "../irc/world.ts";
import { addBot, addPerson, type Folk } from "../servers/mattermost/people.ts";
import { FakeMattermost } from "../servers/mattermost/server.ts";
import type { PostRow, ServerChannel, WirePost } from "../servers/mattermost/wire.ts";
import type { ApiClient, Fields } from "../support/client.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import type { ApiStream } from "../support/stream.ts";
import { eventually } from "../support/wait.ts";

const GATEWAY = "square";
/** What comes through a back-off, on a busy machine. */
const PATIENCE_MS = 60_000;

/** One server with a channel, somebody in it, and our bot. */
export interface Side {
  readonly server: FakeMattermost;
  readonly channel: ServerChannel;
  readonly alice: Folk;
  readonly bot: Folk;
  readonly token: string;
}

/** Servers, and Rialto between them and its API; it can be stopped and started again with its data. */
export class Town {
  readonly sides: readonly Side[];
  readonly #config: string;
  readonly #streams: ApiStream[] = [];
  #rialto: Rialto | null = null;
  #fences = 0;

  private constructor(sides: readonly Side[]) {
    this.sides = sides;
    this.#config = configuration(sides);
  }

  /** `count`: so many servers, each with an account. */
  static async start(count = 1): Promise<Town> {
    const town = new Town(await Promise.all(Array.from({ length: count }, startSide)));
    onTestFailed(() => console.error(`the program printed:\n${town.rialto.output().slice(-4_000)}`));
    await town.live();
    return town;
  }

  get side(): Side {
    const [side] = this.sides;
    if (side === undefined) throw new Error("there is no server");
    return side;
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
    const all = this.#streams.flatMap(({ lines }) => lines.map((line) => JSON.parse(line) as Message));
    return all.filter(({ event }) => event !== EventLabel.connected);
  }

  /** What was posted on a server, by the API's way of counting: without changes. */
  heard(text: string): readonly Message[] {
    return this.told().filter((message) => message.event === "" && message.text === text);
  }

  /** What Rialto has posted in a channel, in order, whether it still stands or not. */
  rows({ server, channel, bot }: Side = this.side): readonly PostRow[] {
    return [...server.world.posts.values()].filter(
      (row) => row.channel_id === channel.id && row.user_id === bot.id && row.original_id === "" && row.type === "",
    );
  }

  /** The same as texts, by what they say now. */
  shown(side: Side = this.side): readonly string[] {
    return this.rows(side).flatMap((row) => (row.delete_at === 0 ? [row.message] : []));
  }

  /** Somebody on the server says something, at a moment of its own: of one moment, servers keep no order. */
  async hear(text: string, side: Side = this.side): Promise<WirePost> {
    side.server.world.clock.pass(1);
    return await side.alice.say(side.channel, text);
  }

  /** Both ways are open, and what was said on them before has come. */
  async fence(word: string): Promise<void> {
    this.#fences += 1;
    for (const [at, side] of this.sides.entries()) {
      const words = `${word} ${this.#fences} ${at}`;
      await this.post(words);
      await this.until(() => this.shown(side).includes(words), `"${words}" at server ${at}`);
      await this.hear(`${words} back`, side);
      await this.until(() => this.heard(`${words} back`).length > 0, `"${words} back" at the API`);
    }
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
      PATIENCE_MS,
    );
  }
}

async function startSide(): Promise<Side> {
  const server = await FakeMattermost.start();
  onTestFinished(async () => await server.stop());
  const team = server.world.addTeam("team");
  const channel = server.world.addChannel(team.id, "town");
  const alice = addPerson(server, team, "alice");
  const bot = addBot(server, team, "rialto");
  alice.enter(channel);
  bot.enter(channel);
  return { server, channel, alice, bot, token: bot.token() };
}

function configuration(sides: readonly Side[]): string {
  const accounts = sides.map(
    ({ server, token }, at) => `[mattermost.side${at}]
Server = "${server.address}"
NoTLS = true
Team = "team"
Token = "${token}"
RemoteNickFormat = "{NICK}"`,
  );
  const bridges = [
    ...sides.map((_, at) => [`mattermost.side${at}`, "town"]),
    ["api.writer", "api"],
    ["api.reader", "api"],
  ].map(([account, channel]) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`);
  const apis = ["writer", "reader"].map((name) => `[api.${name}]\nFullEvents = true\nBuffer = 10000`);
  return [...accounts, ...apis, `[[gateway]]\nname = "${GATEWAY}"\nenable = true`, ...bridges, ""].join("\n");
}

/** What became of things that were said: `heard` in the order in which they came. */
export function figures(said: readonly string[], heard: readonly string[]): Figures {
  const places = new Map(said.map((text, at) => [text, at]));
  const got = heard.filter((text) => places.has(text));
  const order = got.map((text) => places.get(text) ?? 0);
  return {
    sent: said.length,
    lost: said.filter((text) => !got.includes(text)).length,
    doubled: got.length - new Set(got).size,
    disordered: order.filter((place, at) => place < (order[at - 1] ?? 0)).length,
  };
}

interface Figures {
  readonly sent: number;
  readonly lost: number;
  readonly doubled: number;
  readonly disordered: number;
}

/** All of it, once and in order. */
export const whole = (sent: number): Figures => ({ sent, lost: 0, doubled: 0, disordered: 0 });

export function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${prefix} ${at + 1}`);
}

/** For whoever reads the run. */
export function say(what: string, found: object): void {
  console.log(`figures: ${what}: ${JSON.stringify(found)}`);
}
