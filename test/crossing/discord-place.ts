import {
  AttachmentFlags,
  type APIMessage,
  type GatewayMessageReactionAddDispatchData,
  MessageType,
} from "discord-api-types/v10";
import { actionIn, jumpIn } from "../servers/discord/markdown.ts";
import { addBot, addPerson, type Folk, giveRole } from "../servers/discord/people.ts";
import { FakeDiscord } from "../servers/discord/server.ts";
import type { ChannelRow, Upload } from "../servers/discord/wire.ts";
import { NAMES, type Place, type Sight } from "./place.ts";

export const DISCORD_CHANNEL = "square";
const GUILD = "Town";

/** What happens in the guild, as the server tells its members. */
interface Happening {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DiscordAccount {
  readonly ApiURL: string;
  readonly Server: string;
  readonly Token: string;
}

/** Somebody on a server of our own, which two client libraries of others take for the real one. */
export async function discordPlace(): Promise<{ readonly place: Place; readonly account: DiscordAccount }> {
  const server = await FakeDiscord.start();
  server.limits.off = true;
  const guild = server.world.addGuild(GUILD, server.world.addUser("owner"));
  const channel = server.world.addChannel(guild, DISCORD_CHANNEL);
  const app = server.world.addApp("rialto");
  addBot(server, guild, app);
  giveRole(server, guild, app.user, ["ManageWebhooks"]);
  const name = NAMES.discord;
  const folk = addPerson(server, guild, name);
  const happened: Happening[] = [];
  folk.watch((event, data) => happened.push({ event, data }));
  const send = (files: readonly Upload[], content: string): void => {
    server.messages.post(folk.id, channel.id, { content, files });
  };
  const done = async (_what: unknown): Promise<void> => await Promise.resolve();
  const place: Place = {
    network: "discord",
    name,
    sights: () => happened.flatMap((one) => sightsOf(server, channel, folk, one)),
    say: async (text, style) => await Promise.resolve(folk.say(channel, style === "action" ? `_${text}_` : text).id),
    reply: async (text, to) => await done(folk.reply(server.world.message(channel.id, to), text)),
    thread: async (text, first) => await done(folk.say(threadOf(server, channel, folk, first), text)),
    edit: async (message, text) => await done(folk.edit(server.world.message(channel.id, message), text)),
    erase: async (message) => await done(folk.erase(server.world.message(channel.id, message))),
    react: async (message, emoji, on) => {
      const row = server.world.message(channel.id, message);
      await done(on ? folk.react(row, emoji) : folk.unreact(row, emoji));
    },
    share: async (file) => await done(send([file], "")),
    caption: async (file, words) => await done(send([file], words)),
    hide: async (file) => await done(send([{ ...file, more: { flags: AttachmentFlags.IsSpoiler } }], "")),
    shareAll: async (files, words) => await done(send(files, words)),
    setTopic: async (topic) => await done(folk.setTopic(channel, topic)),
    visit: async (visitor) => await done(addPerson(server, guild, visitor).leave()),
    quit: async () => await server.stop(),
  };
  return { place, account: { ApiURL: server.url, Server: GUILD, Token: app.token } };
}

function threadOf(server: FakeDiscord, channel: ChannelRow, folk: Folk, first: string): ChannelRow {
  return server.world.channels.get(first) ?? folk.startThread(server.world.message(channel.id, first), "talk");
}

function sightsOf(
  server: FakeDiscord,
  channel: ChannelRow,
  { id: me }: Folk,
  { event, data }: Happening,
): readonly Sight[] {
  if (event === "MESSAGE_REACTION_ADD" || event === "MESSAGE_REACTION_REMOVE") {
    const { user_id: user, message_id: target, emoji } = data as unknown as GatewayMessageReactionAddDispatchData;
    if (user === me) return [];
    const kind = event === "MESSAGE_REACTION_ADD" ? "reaction" : "unreaction";
    return [{ kind, text: emoji.name ?? "", ids: [], target, alerts: false, file: null }];
  }
  if (event === "MESSAGE_DELETE") {
    return [{ kind: "delete", text: "", ids: [], target: String(data["id"]), alerts: false, file: null }];
  }
  if (event !== "MESSAGE_CREATE" && event !== "MESSAGE_UPDATE") return [];
  const message = data as unknown as APIMessage;
  const isSaid = message.type === MessageType.Default || message.type === MessageType.Reply;
  if (message.author.id === me || !isSaid) return [];
  if (event === "MESSAGE_CREATE") return posted(server, channel, message, me);
  // Without it, only a preview has come, or a thread has begun.
  if (message.edited_timestamp === null) return [];
  return [{ kind: "edit", text: message.content, ids: [], target: message.id, alerts: false, file: null }];
}

/** Each file is seen by itself. */
function posted(server: FakeDiscord, channel: ChannelRow, message: APIMessage, me: string): readonly Sight[] {
  const thread = message.channel_id === channel.id ? null : message.channel_id;
  const jump = jumpIn(message.content);
  const action = actionIn(message.content);
  const said: Sight = {
    kind: action === null ? "normal" : "action",
    text: action ?? message.content,
    ids: [message.id],
    target: message.message_reference?.message_id ?? jump?.message ?? thread,
    alerts: message.mention_everyone || message.mentions.some(({ id }) => id === me),
    file: null,
    thread,
  };
  if (message.attachments.length === 0) return [said];
  return message.attachments.map(({ id, filename: name, description = "", flags = 0 }, at) => {
    const content = server.world.files.get(id)?.upload.content ?? new Uint8Array();
    const hidden = (flags & AttachmentFlags.IsSpoiler) !== 0 && name.startsWith("SPOILER_");
    const file = { name, fetch: async () => await Promise.resolve(content), hidden };
    const words = [at === 0 ? said.text : "", description].filter((text) => text !== "");
    return Object.assign({}, said, { text: words.join("\n"), file });
  });
}
