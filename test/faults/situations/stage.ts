import { startInspircd } from "../../servers/irc/inspircd.ts";
import type { IrcServer } from "../../servers/irc/server.ts";
import { startSynapse, type Synapse } from "../../servers/matrix/synapse.ts";
import { NioPeople, type NioPerson } from "../../servers/people/nio.ts";
import { type PythonPerson, pythonPerson } from "../../servers/people/python.ts";
import { SlixmppPerson } from "../../servers/people/slixmpp.ts";
import { startProsody } from "../../servers/xmpp/prosody.ts";
import type { XmppServer } from "../../servers/xmpp/server.ts";
import { type Rialto, startRialto } from "../../support/rialto.ts";
import { type SmallDisk, mountSmallDisk } from "../small-disk.ts";
import { Operator, until } from "./watch.ts";
import { type Chats, foundChats } from "./chats.ts";
import { foundWorkspace, type Workspace } from "./workspace.ts";
import { type Company, foundCompany } from "./company.ts";
import { foundGuild, type Guild } from "./guild.ts";
import { ircRoom, matrixRoom, type Room, xmppRoom } from "./rooms.ts";

export const PASSWORD = "open-sesame";

/** One message in ten seconds, after three: what waits then waits for long enough to be looked at. */
const MESSAGE_RATE = { perSecond: 0.1, burst: 3 };

/** A channel's name in IRC. */
export const IRC = {
  lobby: "#lobby",
  harbour: "#harbour",
  square: "#square",
  office: "#office",
  works: "#works",
  town: "#town",
  yard: "#yard",
  quay: "#quay",
} as const;
const XMPP_ROOM = "square@conference.localhost";

/** What ends with the stage, the newest first. */
export class Ends {
  readonly #ends: (() => Promise<unknown>)[] = [];

  async keep<T>(starting: Promise<T>, end: (started: T) => Promise<unknown>): Promise<T> {
    const started = await starting;
    this.#ends.unshift(async () => await end(started));
    return started;
  }

  async end(): Promise<void> {
    for (const one of this.#ends.splice(0)) await one();
  }
}

/** Servers with somebody in every room. */
export interface Stage {
  readonly ircd: IrcServer;
  /** Nobody is there: it is the one that goes. */
  readonly other: IrcServer;
  readonly prosody: XmppServer;
  readonly synapse: Synapse;
  readonly company: Company;
  readonly guild: Guild;
  readonly workspace: Workspace;
  readonly chats: Chats;
  readonly disk: SmallDisk;
  readonly ira: PythonPerson;
  readonly rooms: Readonly<Record<keyof typeof IRC | "xmpp" | "harbourMatrix" | "palaceMatrix", Room>>;
  readonly launch: (
    config: string,
    dataPath?: string,
  ) => Promise<{ readonly rialto: Rialto; readonly operator: Operator }>;
}

export async function setStage(ends: Ends): Promise<Stage> {
  const stopping = async (server: { readonly stop: () => Promise<void> }): Promise<void> => await server.stop();
  const quitting = async (person: { readonly quit: () => Promise<void> }): Promise<void> => await person.quit();
  const [[ircd, ira], other, [prosody, xena], [synapse, harbour, palace], company, guild, workspace, chats, disk] =
    await Promise.all([
      (async () => {
        const server = await ends.keep(startInspircd(), stopping);
        const options = { port: server.port, nick: "ira", channels: Object.values(IRC) };
        return [server, await ends.keep(pythonPerson(options), quitting)] as const;
      })(),
      ends.keep(startInspircd(), stopping),
      (async () => {
        const server = await ends.keep(startProsody(), stopping);
        for (const user of ["lobby", "square", "xena"]) await server.register(user, PASSWORD);
        const options = { port: server.port, jid: "xena@localhost", password: PASSWORD, nick: "xena" };
        const person = await ends.keep(SlixmppPerson.connect(options), quitting);
        await person.join(XMPP_ROOM);
        return [server, person] as const;
      })(),
      (async () => {
        const server = await ends.keep(startSynapse({ forgetful: true, messageRate: MESSAGE_RATE }), stopping);
        const nio = await ends.keep(Promise.resolve(new NioPeople(server.url)), stopping);
        return [server, await matrixWatch(nio, "harbour"), await matrixWatch(nio, "palace")] as const;
      })(),
      ends.keep(foundCompany(), async ({ server }) => await server.stop()),
      ends.keep(foundGuild(), async ({ server }) => await server.stop()),
      ends.keep(foundWorkspace(), async ({ server }) => await server.stop()),
      ends.keep(foundChats(), async ({ server }) => await server.stop()),
      ends.keep(mountSmallDisk(), stopping),
    ]);
  // One after the other: five at once would take a busy machine longer than a start may take.
  let last: Promise<unknown> = Promise.resolve();
  const launch: Stage["launch"] = async (config, dataPath) => {
    const options = { config, ...(dataPath !== undefined && { dataPath }) };
    const starting = last.then(async () => await startRialto(options));
    last = starting.catch(() => {});
    const rialto = await ends.keep(starting, async (program) => await program.dispose());
    return { rialto, operator: new Operator(rialto, config) };
  };
  const irc = (name: keyof typeof IRC): Room => ircRoom(ira, IRC[name]);
  const rooms = {
    lobby: irc("lobby"),
    harbour: irc("harbour"),
    square: irc("square"),
    office: irc("office"),
    works: irc("works"),
    town: irc("town"),
    yard: irc("yard"),
    quay: irc("quay"),
    xmpp: xmppRoom(xena, XMPP_ROOM),
    harbourMatrix: harbour,
    palaceMatrix: palace,
  };
  return { ircd, other, prosody, synapse, company, guild, workspace, chats, disk, ira, rooms, launch };
}

/** Somebody makes a room, and there is a login of its name for Rialto. */
async function matrixWatch(nio: NioPeople, name: string): Promise<Room> {
  const [mona, login] = await Promise.all([
    nio.person(`mona-${name}`),
    nio.person(`rialto-${name}`, { deaf: true, password: PASSWORD }),
  ]);
  await nio.quit(login.id);
  return matrixRoom(mona, await made(mona, name));
}

async function made(person: NioPerson, alias: string): Promise<string> {
  return String(await person.ask("create", { alias }));
}

/** Says something until everybody in these rooms has heard it; resolves with how much each has seen by then. */
export async function settled(rialto: Rialto, rooms: readonly Room[]): Promise<readonly number[]> {
  await rialto.client("desk").say({ text: "all are here", username: "anna" });
  const heard = (room: Room): boolean => room().some((line) => line.includes("all are here"));
  await until(
    () => rooms.map((room) => room().slice(-5)),
    () => rooms.every(heard),
    `the first message; Rialto printed:\n${rialto.output().slice(-4_000)}`,
  );
  return rooms.map((room) => room().length);
}

/** Resolves once somebody there has seen it. */
export async function hears(room: Room, words: string): Promise<void> {
  await until(
    () => room().slice(-8),
    () => room().some((line) => line.includes(words)),
    `"${words}"`,
  );
}
