import path from "node:path";
import { MessageType } from "discord-api-types/v10";
import { onTestFailed, onTestFinished } from "vitest";
import { EventLabel, type Message } from "../../src/contract/message.ts";
import { parseCommand } from "../../src/cli/args.ts";
import { control } from "../../src/cli/control.ts";
import { receiptsIn } from "../irc/world.ts";
import { byId } from "../servers/discord/clock.ts";
import { jumpIn } from "../servers/discord/markdown.ts";
import { addBot, addPerson, type Folk, giveRole } from "../servers/discord/people.ts";
import { FakeDiscord } from "../servers/discord/server.ts";
import type { AppRow, ChannelRow, GuildRow, MessageRow } from "../servers/discord/wire.ts";
import type { ApiClient, Fields } from "../support/client.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import type { ApiStream } from "../support/stream.ts";
import { eventually } from "../support/wait.ts";

const GATEWAY = "square";
/** What comes through a back-off, on a busy machine. */
const PATIENCE_MS = 60_000;

const SAID: ReadonlySet<MessageType> = new Set([MessageType.Default, MessageType.Reply]);

/** How Rialto speaks: with the right to make webhooks, or without. */
export type Mode = "webhooks" | "bot";

/** One server with a guild and a channel, somebody in it, and our bot. */
export interface Side {
  readonly server: FakeDiscord;
  readonly guild: GuildRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
}

/** Servers, and Rialto between them and its API; it can be stopped and started again with its data. */
export class Town {
  readonly sides: readonly Side[];
  readonly #config: string;
  readonly #streams: ApiStream[] = [];
  #rialto: Rialto | null = null;
  #fences = 0;

  private constructor(sides: readonly Side[], mode: Mode) {
    this.sides = sides;
    this.#config = configuration(sides, mode);
  }

  /** `count`: so many servers, each with an account. */
  static async start(mode: Mode = "webhooks", count = 1): Promise<Town> {
    const town = await Town.found(mode, count);
    await town.live();
    return town;
  }

  /** The same without Rialto, which is to be started by `begin` or `live`. */
  static async found(mode: Mode = "webhooks", count = 1): Promise<Town> {
    const starting = Array.from({ length: count }, async () => await startSide(mode));
    const town = new Town(await Promise.all(starting), mode);
    onTestFailed(() => console.error(`the program printed:\n${town.rialto.output().slice(-4_000)}`));
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

  /** The texts of it, each message once: after a kill, a reader may be told again what it was told right before. */
  texts(): readonly string[] {
    return [...new Map(this.told().map(({ id, text }) => [id, text])).values()];
  }

  /** What was posted on a server, by the API's way of counting: without changes. */
  heard(text: string): readonly Message[] {
    return this.told().filter((message) => message.event === "" && message.text === text);
  }

  /** What Rialto has posted in a channel and still stands there, in order. */
  rows({ server, channel, app }: Side = this.side): readonly MessageRow[] {
    const { channels, messages } = server.world;
    const isOurs = ({ wire }: MessageRow): boolean =>
      (wire.webhook_id === undefined ? wire.author.id : wire.application_id) === app.user.id;
    return [...messages.values()]
      .filter((row) => row.channel === channel.id || channels.get(row.channel)?.parent === channel.id)
      .filter((row) => isOurs(row) && SAID.has(row.wire.type))
      .sort(byId);
  }

  /** The same as texts, without who said it and what it answers. */
  shown(side: Side = this.side): readonly string[] {
    return this.rows(side).map(wordsOf);
  }

  /** Somebody on the server says something. */
  async hear(text: string, side: Side = this.side): Promise<MessageRow> {
    return await Promise.resolve(side.alice.say(side.channel, text));
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

  /** What `rialto status` prints. */
  async status(): Promise<string> {
    const command = parseCommand(["status", "--socket", path.join(this.rialto.dataPath, "rialto.sock")], {});
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
      PATIENCE_MS,
    );
  }
}

async function startSide(mode: Mode): Promise<Side> {
  const server = await FakeDiscord.start();
  onTestFinished(async () => await server.stop());
  const guild = server.world.addGuild("Crew", server.world.addUser("owner"));
  const channel = server.world.addChannel(guild, "town");
  const alice = addPerson(server, guild, "alice");
  const app = server.world.addApp("rialto");
  addBot(server, guild, app);
  if (mode === "webhooks") giveRole(server, guild, app.user, ["ManageWebhooks"]);
  return { server, guild, channel, alice, app };
}

/** What a message of ours says, without the name of whoever said it and the line of what it answers. */
export function wordsOf({ wire }: MessageRow): string {
  const text = jumpIn(wire.content)?.rest ?? wire.content;
  return text.replace(/^\\?<\w+\\?> /u, "");
}

/** The message that one of ours answers; empty: none. */
export const answeredBy = ({ wire }: MessageRow): string =>
  wire.message_reference?.message_id ?? jumpIn(wire.content)?.message ?? "";

function configuration(sides: readonly Side[], mode: Mode): string {
  const accounts = sides.map(
    ({ server, app }, at) => `[discord.side${at}]
ApiURL = "${server.url}/v10"
Server = "Crew"
Token = "${app.token}"
RemoteNickFormat = "${mode === "webhooks" ? "{NICK}" : "<{NICK}> "}"`,
  );
  const bridges = [
    ...sides.map((_, at) => [`discord.side${at}`, "town"]),
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
