import type { EmojiChangedEvent, FileDeletedEvent } from "@slack/types";
import { newSecret } from "./clock.ts";
import { clientId } from "./messages.ts";
import { isStandard } from "./emoji.ts";
import type { FakeSlack } from "./server.ts";
import type {
  AppRow,
  ChannelRow,
  FileRow,
  MessageRow,
  TeamRow,
  Upload,
  UserRow,
  WireBlock,
  WireFile,
  WireMessage,
  WireUser,
} from "./wire.ts";
import type { World } from "./world.ts";

interface How {
  /** The message whose thread it is said in. */
  readonly thread?: MessageRow;
  /** Shown in the channel as well. */
  readonly broadcast?: boolean;
  readonly files?: readonly FileRow[];
  /** As it was typed: no sign in it means anything. */
  readonly literal?: boolean;
  readonly more?: Partial<WireMessage>;
}

/** Somebody of a team who does things without a client of ours. */
export class Folk {
  readonly #server: FakeSlack;
  readonly user: UserRow;

  constructor(server: FakeSlack, user: UserRow) {
    this.#server = server;
    this.user = user;
  }

  get id(): string {
    return this.user.id;
  }

  enter(channel: ChannelRow): void {
    this.#server.channels.enter(channel, this.id);
  }

  leave(channel: ChannelRow): void {
    this.#server.channels.leave(channel, this.id);
  }

  /** In the network's own markup, with blocks as people's clients make them. */
  say(channel: ChannelRow, text: string, how: How = {}): MessageRow {
    const { thread, broadcast = false, files = [], literal = false, more = {} } = how;
    const draft = {
      text,
      ...(literal && text !== "" && { blocks: typed(text) }),
      broadcast,
      files: files.map(({ wire }) => wire.id),
      ...(thread !== undefined && { thread: thread.wire.thread_ts ?? thread.wire.ts }),
      more: {
        user: this.id,
        team: this.user.team,
        client_msg_id: clientId(),
        ...(files.length > 0 && { subtype: "file_share", upload: false, display_as_bot: false }),
        ...more,
      },
    };
    return this.#server.messages.post(channel, draft);
  }

  /** As `/me`. */
  act(channel: ChannelRow, text: string): MessageRow {
    return this.say(channel, text, { more: { subtype: "me_message" } });
  }

  upload(file: Upload): FileRow {
    return this.#server.files.store(this.id, this.user.team, file);
  }

  sendFile(channel: ChannelRow, file: Upload, text = ""): MessageRow {
    return this.say(channel, text, { files: [this.upload(file)] });
  }

  /** A file that lies with another service. */
  sendExternal(channel: ChannelRow, name: string, url: string): MessageRow {
    const row = this.upload({ name, content: new Uint8Array() });
    const { url_private_download: _, ...wire } = row.wire;
    row.wire = { ...wire, mode: "external", is_external: true, external_type: "gdrive", url_private: url, size: 0 };
    return this.say(channel, "", { files: [row] });
  }

  edit(row: MessageRow, text: string, { literal = false }: Pick<How, "literal"> = {}): void {
    this.#server.messages.edit(row, this.id, { text, ...(literal && { blocks: typed(text) }) });
  }

  erase(row: MessageRow): void {
    this.#server.messages.erase(row);
  }

  react(row: MessageRow, name: string): void {
    if (!isStandard(name.split("::")[0] ?? "") && !this.#team().emoji.has(name)) throw new Error(`no emoji ${name}`);
    this.#server.messages.react(row, this.id, name);
  }

  unreact(row: MessageRow, name: string): void {
    this.#server.messages.unreact(row, this.id, name);
  }

  setTopic(channel: ChannelRow, topic: string): void {
    this.#server.channels.setTopic(channel, this.id, topic);
  }

  setPurpose(channel: ChannelRow, purpose: string): void {
    this.#server.channels.setPurpose(channel, this.id, purpose);
  }

  rename(channel: ChannelRow, name: string): void {
    this.#server.channels.rename(channel, this.id, name);
  }

  archive(channel: ChannelRow): void {
    this.#server.channels.archive(channel, this.id);
  }

  unarchive(channel: ChannelRow): void {
    this.#server.channels.unarchive(channel, this.id);
  }

  invite(channel: ChannelRow, user: UserRow): void {
    this.#server.channels.enter(channel, user.id, this.id);
  }

  kick(channel: ChannelRow, user: UserRow): void {
    this.#server.channels.leave(channel, user.id, this.id);
  }

  /** What others see of this person. */
  change({ profile, ...more }: WireUser): void {
    const { user } = this;
    user.wire = { ...user.wire, ...more, profile: { ...user.wire.profile, ...profile } };
    const { world, hub } = this.#server;
    const event = { type: "user_change", user: user.wire, cache_ts: world.clock.seconds() };
    hub.publish("user_change", { ...event, event_ts: world.clock.ts() }, { team: user.team });
  }

  #team(): TeamRow {
    return this.#server.world.team(this.user.team);
  }
}

/** Clients send blocks of what is typed; the text beside them is the server's, and says less. */
function typed(text: string): WireBlock[] {
  const elements = [{ type: "text" as const, text }];
  return [
    {
      type: "rich_text",
      block_id: newSecret(5),
      elements: [{ type: "rich_text_section", elements }],
    } satisfies WireBlock,
  ];
}

export function addPerson(server: FakeSlack, team: TeamRow, name: string, more: WireUser = {}): Folk {
  return new Folk(server, server.world.addUser(team.id, name, more));
}

/** Somebody of another team, who is in the channel by Slack Connect. */
export function addStranger(server: FakeSlack, channel: ChannelRow, name: string, team = "Elsewhere"): Folk {
  const other = server.world.addTeam(team);
  const stranger = addPerson(server, other, name);
  channel.others.add(other.id);
  const event = { type: "channel_shared", channel: channel.id, connected_team_id: other.id };
  const to = { team: channel.team, channel: channel.id };
  server.hub.publish("channel_shared", { ...event, event_ts: server.world.clock.ts() }, to);
  stranger.enter(channel);
  return stranger;
}

/** What the server adds to a message in which a page is linked. */
export function unfurl(server: FakeSlack, row: MessageRow, title: string, url: string): void {
  const attachment = { id: 1, title, title_link: url, from_url: url, original_url: url, fallback: title };
  server.messages.touch(row, { attachments: [attachment] });
}

/** A picture for everybody of the team. */
export function addEmoji(server: FakeSlack, team: TeamRow, name: string, value: string): void {
  team.emoji.set(name, value);
  const event = {
    type: "emoji_changed" as const,
    subtype: "add" as const,
    name,
    value,
    event_ts: server.world.clock.ts(),
  };
  server.hub.publish("emoji_changed", event satisfies EmojiChangedEvent, { team: team.id });
}

/** So many more of each, of whom nothing is told. */
export function populate(
  server: FakeSlack,
  team: TeamRow,
  more: { readonly people: number; readonly channels: number; readonly emoji: number },
): void {
  const { world } = server;
  for (let number = 0; number < more.people; number += 1) world.addUser(team.id, `person${number}`);
  for (let number = 0; number < more.channels; number += 1) world.addChannel(team.id, `channel${number}`, "USLACKBOT");
  for (let number = 0; number < more.emoji; number += 1) {
    team.emoji.set(`emoji${number}`, `${world.site}/emoji/${number}.png`);
  }
}

/** A file is deleted by whom it belongs to: a stone is left in messages. */
export function eraseFile(server: FakeSlack, row: FileRow): void {
  const { id } = row.wire;
  const team = row.wire.user_team ?? "";
  const where = [...(row.wire.channels ?? []), ...(row.wire.groups ?? [])];
  server.messages.loseFile(id);
  const event = { type: "file_deleted" as const, file_id: id, channel_ids: where, event_ts: server.world.clock.ts() };
  server.hub.publish("file_deleted", event satisfies FileDeletedEvent, { team });
}

/** The plan of the team does not show the file any more. */
export function hideFile(row: FileRow): void {
  row.wire = { id: row.wire.id, mode: "hidden_by_limit" } satisfies WireFile;
}

/** The plan of the team does not show this message and older ones any more. */
export function hideBefore(channel: ChannelRow, row: MessageRow): void {
  channel.hiddenBefore = row.wire.ts;
}

/** A bot in a channel, with what it may do; `manifest`: what it asks for, as JSON. Absent: all there is. */
export function install(
  server: FakeSlack,
  team: TeamRow,
  name: string,
  channels: readonly ChannelRow[],
  manifest?: string,
): AppRow {
  const { world } = server;
  const app = manifest === undefined ? world.addApp(team.id, name) : fromManifest(world, team, name, manifest);
  for (const channel of channels) channel.members.add(app.user.id);
  return app;
}

interface AppManifest {
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: {
    readonly event_subscriptions: { readonly bot_events: readonly string[] };
    readonly socket_mode_enabled: boolean;
  };
}

function fromManifest(world: World, team: TeamRow, name: string, manifest: string): AppRow {
  const { oauth_config: oauth, settings } = JSON.parse(manifest) as AppManifest;
  const app = world.addApp(team.id, name, oauth.scopes.bot);
  app.events = new Set(settings.event_subscriptions.bot_events);
  app.socketMode = settings.socket_mode_enabled;
  return app;
}
