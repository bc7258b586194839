import { addPerson, type Folk, install } from "../../servers/telegram/people.ts";
import { FakeTelegram } from "../../servers/telegram/server.ts";
import type { BotRow, ChatRow } from "../../servers/telegram/wire.ts";
import type { Room } from "./rooms.ts";

/** Chats of Telegram, and a bot for each thing that can be wrong with one. */
export interface Chats {
  readonly server: FakeTelegram;
  readonly port: number;
  readonly alice: Folk;
  readonly crew: BotRow;
  /** A group that our bot comes into and goes from, and what is read there. */
  readonly attic: ChatRow;
  readonly room: Room;
  /** Others, where nothing happens. */
  readonly hall: ChatRow;
  readonly shut: ChatRow;
  readonly stage: ChatRow;
  readonly tokens: Readonly<Record<"well" | "walker" | "hooked" | "moved" | "shy" | "mute", string>>;
}

export async function foundChats(): Promise<Chats> {
  const server = await FakeTelegram.start();
  const { world } = server;
  const alice = addPerson(server, "Alice", { username: "alice" });
  const [attic, hall, shut] = ["attic", "hall", "shut"].map((name) => world.addSupergroup(name, alice.user));
  if (attic === undefined || hall === undefined || shut === undefined) throw new Error("there are no chats");
  const stage = world.addChannel("stage", alice.user);
  const made = (name: string, broken: (bot: BotRow) => void = () => undefined): BotRow => {
    const bot = install(server, name, [attic, hall]);
    bot.hasPrivacy = false;
    broken(bot);
    return bot;
  };
  const crew = made("rialto");
  const bots = {
    well: crew,
    walker: made("walker"),
    hooked: made("hooked", (bot) => (bot.webhook = "https://hooks.example.org/rialto")),
    moved: made("moved", (bot) => (bot.loggedOut = true)),
    shy: made("shy", (bot) => (bot.hasPrivacy = true)),
    mute: made("mute"),
  };
  alice.add(stage, bots.mute);
  const { well, walker, hooked, moved, shy, mute } = bots;
  const tokens = {
    well: well.token,
    walker: walker.token,
    hooked: hooked.token,
    moved: moved.token,
    shy: shy.token,
    mute: mute.token,
  };
  const room: Room = () =>
    [...attic.messages.values()].flatMap(({ wire, by }) => (by === crew.user.id ? [`rialto: ${wire.text ?? ""}`] : []));
  return { server, port: server.wire.port, alice, crew, attic, room, hall, shut, stage, tokens };
}
