import type { ChannelRenameEvent, MemberJoinedChannelEvent, MemberLeftChannelEvent } from "@slack/types";
import type { Hub } from "./hub.ts";
import type { Messages } from "./messages.ts";
import { type ChannelRow, lengthOf, no, type WireMessage } from "./wire.ts";
import type { World } from "./world.ts";

type Joined = MemberJoinedChannelEvent;

/** What happens to channels and who is in them. Everybody who may hear of it is told. */
export class Channels {
  readonly #world: World;
  readonly #hub: Hub;
  readonly #messages: Messages;

  constructor(world: World, hub: Hub, messages: Messages) {
    this.#world = world;
    this.#hub = hub;
    this.#messages = messages;
  }

  /** False when the user was there already. */
  enter(channel: ChannelRow, user: string, inviter?: string): boolean {
    if (channel.isArchived) throw no("is_archived");
    if (channel.members.has(user)) return false;
    channel.members.add(user);
    const by = inviter === undefined ? {} : { inviter };
    this.#member("member_joined_channel", channel, user, by);
    const subtype = channel.isPrivate ? "group_join" : "channel_join";
    this.#system(channel, user, { subtype, text: `<@${user}> has joined the channel`, ...by });
    return true;
  }

  /** By itself, or because somebody removed the user. */
  leave(channel: ChannelRow, user: string, remover?: string): boolean {
    if (!channel.members.has(user)) return false;
    const app = [...this.#world.apps.values()].find((one) => one.user.id === user);
    this.#member("member_left_channel", channel, user, {});
    channel.members.delete(user);
    if (app !== undefined) {
      const type = channel.isPrivate ? "group_left" : "channel_left";
      const event = { type, channel: channel.id, actor_id: remover ?? user, event_ts: this.#world.clock.ts() };
      this.#hub.publish(type, event, { team: app.team, app: app.id });
    }
    const subtype = channel.isPrivate ? "group_leave" : "channel_leave";
    const text = remover === undefined ? `<@${user}> has left the channel` : `<@${user}> was removed from the channel`;
    this.#system(channel, remover === undefined ? user : "USLACKBOT", { subtype, text });
    return true;
  }

  setTopic(channel: ChannelRow, user: string, topic: string): void {
    this.#note(channel, user, topic, "topic");
  }

  setPurpose(channel: ChannelRow, user: string, purpose: string): void {
    this.#note(channel, user, purpose, "purpose");
  }

  rename(channel: ChannelRow, user: string, name: string): void {
    if (!/^[\p{Ll}\p{Lo}\p{N}_-]{1,80}$/u.test(name)) throw no("invalid_name");
    const taken = [...this.#world.channels.values()].some((one) => one.team === channel.team && one.name === name);
    if (taken) throw no("name_taken");
    const old = channel.name;
    channel.previousNames.unshift(old);
    channel.name = name;
    const shown = {
      id: channel.id,
      name,
      name_normalized: name,
      created: channel.created,
      is_channel: !channel.isPrivate,
      is_mpim: false,
    } satisfies ChannelRenameEvent["channel"];
    this.#lifecycle("rename", channel, { channel: shown });
    const subtype = channel.isPrivate ? "group_name" : "channel_name";
    const text = `has renamed the channel from "${old}" to "${name}"`;
    this.#system(channel, user, { subtype, text, old_name: old, name });
  }

  archive(channel: ChannelRow, user: string): void {
    if (channel.isArchived) throw no("already_archived");
    this.#system(channel, user, {
      subtype: channel.isPrivate ? "group_archive" : "channel_archive",
      text: "archived the channel",
    });
    channel.isArchived = true;
    this.#lifecycle("archive", channel, { channel: channel.id, user, is_moved: 0 });
  }

  unarchive(channel: ChannelRow, user: string): void {
    if (!channel.isArchived) throw no("not_archived");
    channel.isArchived = false;
    this.#lifecycle("unarchive", channel, { channel: channel.id, user });
    this.#system(channel, user, {
      subtype: channel.isPrivate ? "group_unarchive" : "channel_unarchive",
      text: "un-archived the channel",
    });
  }

  /** The channel is gone with all that was said in it. */
  remove(channel: ChannelRow): void {
    this.#lifecycle("deleted", channel, { channel: channel.id, actor_id: channel.creator });
    this.#world.channels.delete(channel.id);
  }

  #note(channel: ChannelRow, user: string, value: string, what: "topic" | "purpose"): void {
    if (channel.isArchived) throw no("is_archived");
    if (lengthOf(value) > 250) throw no("too_long");
    channel[what] = { value, creator: user, last_set: this.#world.clock.seconds() };
    const subtype = `${channel.isPrivate ? "group" : "channel"}_${what}`;
    const words = what === "topic" ? "channel topic" : "channel description";
    const text = value === "" ? `cleared the ${words}` : `set the ${words}: ${value}`;
    this.#system(channel, user, { subtype, text, [what]: value });
  }

  #member(
    type: Joined["type"] | MemberLeftChannelEvent["type"],
    channel: ChannelRow,
    user: string,
    more: object,
  ): void {
    const kind = channel.isPrivate ? "G" : "C";
    const team = this.#world.user(user).team;
    const to = { team: channel.team, channel: channel.id };
    const event_ts = this.#world.clock.ts();
    const event = { user, channel: channel.id, channel_type: kind, team, event_ts } satisfies Omit<Joined, "type">;
    this.#hub.publish(type, { type, ...event, ...more }, to);
  }

  /** Of public channels everybody hears, of private ones who is in them. */
  #lifecycle(what: string, channel: ChannelRow, more: object): void {
    const type = `${channel.isPrivate && what !== "deleted" ? "group" : "channel"}_${what}`;
    const to = { team: channel.team, ...(channel.isPrivate && { channel: channel.id }) };
    this.#hub.publish(type, { type, ...more, event_ts: this.#world.clock.ts() }, to);
  }

  #system(channel: ChannelRow, user: string, more: Partial<WireMessage> & { text: string }): void {
    this.#messages.announce(channel, { user, ...more });
  }
}
