import { emojiName, emojiOf } from "../servers/site/emoji.ts";
import { actionIn } from "../servers/mattermost/markdown.ts";
import { isMentioned } from "../servers/mattermost/mentions.ts";
import { addBot, addPerson } from "../servers/mattermost/people.ts";
import { FakeMattermost } from "../servers/mattermost/server.ts";
import type { PostRow, Reaction, WirePost } from "../servers/mattermost/wire.ts";
import { NAMES, type Place, type Shared, type Sight, type SightKind } from "./place.ts";

export const MATTERMOST_CHANNEL = "square";
const TEAM = "town";

/** What happens in the channel, as the server tells its members. */
interface Happening {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface MattermostAccount {
  readonly Server: string;
  readonly Team: string;
  readonly Token: string;
}

/** Somebody on a server of our own, which the network's own client library takes for a real one. */
export async function mattermostPlace(): Promise<{
  readonly place: Place;
  readonly account: MattermostAccount;
}> {
  const server = await FakeMattermost.start();
  const team = server.world.addTeam(TEAM);
  const channel = server.world.addChannel(team.id, MATTERMOST_CHANNEL);
  const token = addBot(server, team, "rialto").token();
  const name = NAMES.mattermost;
  const folk = addPerson(server, team, name);
  folk.enter(channel);
  const happened: Happening[] = [];
  server.world.hub.watch(folk.id, (event, data) => happened.push({ event, data }));
  const upload = ({ name: file, content }: Shared): string => folk.upload(channel, file, content);
  const root = (message: string): PostRow | undefined => server.world.posts.get(message);
  const answer = async (text: string, to: string): Promise<void> => {
    const post = root(to);
    await folk.say(channel, text, { root_id: post === undefined || post.root_id === "" ? to : post.root_id });
  };
  const place: Place = {
    network: "mattermost",
    name,
    sights: () => happened.flatMap((one) => sightsOf(server, one, folk.id, name)),
    say: async (text, style) =>
      (
        await (style === "action"
          ? folk.say(channel, `*${text}*`, { type: "me", props: { message: text } })
          : folk.say(channel, text))
      ).id,
    reply: answer,
    thread: answer,
    edit: async (message, text) => void (await Promise.resolve(folk.edit(message, text))),
    erase: async (message) => await Promise.resolve(folk.erase(message)),
    react: async (message, emoji, on) => {
      if (on) folk.react(message, emojiName(emoji));
      else folk.unreact(message, emojiName(emoji));
      await Promise.resolve();
    },
    share: async (file) => void (await folk.say(channel, "", { file_ids: [upload(file)] })),
    caption: async (file, words) => void (await folk.say(channel, words, { file_ids: [upload(file)] })),
    shareAll: async (files, words) => void (await folk.say(channel, words, { file_ids: files.map(upload) })),
    setTopic: async (topic) => await Promise.resolve(folk.setHeader(channel, topic)),
    visit: async (visitor) => {
      const guest = addPerson(server, team, visitor);
      guest.enter(channel);
      await Promise.resolve(guest.leave(channel));
    },
    quit: async () => await server.stop(),
  };
  return { place, account: { Server: server.address, Team: TEAM, Token: token } };
}

function sightsOf(server: FakeMattermost, { event, data }: Happening, me: string, name: string): readonly Sight[] {
  if (event === "reaction_added" || event === "reaction_removed") {
    const reaction = JSON.parse(String(data["reaction"])) as Reaction;
    if (reaction.user_id === me) return [];
    const kind = event === "reaction_added" ? "reaction" : "unreaction";
    const text = emojiOf(reaction.emoji_name);
    return [{ kind, text, ids: [], target: reaction.post_id, alerts: false, file: null }];
  }
  if (!["posted", "post_edited", "post_deleted"].includes(event)) return [];
  const post = JSON.parse(String(data["post"])) as WirePost;
  if (post.user_id === me) return [];
  return event === "posted" ? posted(server, post, name) : [changed(post, event === "post_edited" ? "edit" : "delete")];
}

function changed(post: WirePost, kind: SightKind): Sight {
  return { kind, text: kind === "edit" ? post.message : "", ids: [], target: post.id, alerts: false, file: null };
}

/** Each file is seen by itself. */
function posted(server: FakeMattermost, post: WirePost, name: string): readonly Sight[] {
  const alerts = isMentioned(post.message, name);
  const target = post.root_id === "" ? null : post.root_id;
  const bare: Sight = {
    kind: "normal",
    text: post.message,
    ids: [post.id],
    target,
    alerts,
    file: null,
    thread: target,
  };
  if (post.type === "system_header_change") return [{ ...bare, kind: "topic", text: String(post.props["new_header"]) }];
  if (post.type.startsWith("system_")) return [];
  const action = actionIn(post.message);
  const said: Sight = action === null ? bare : { ...bare, kind: "action", text: action };
  const files = (post.file_ids ?? []).flatMap((id) => server.world.files.get(id) ?? []);
  if (files.length === 0) return [said];
  return files.map(({ info, content }, at) => {
    const file = { name: info.name, fetch: async () => await Promise.resolve(content) };
    return Object.assign({}, said, { text: at === 0 ? said.text : "", file });
  });
}
