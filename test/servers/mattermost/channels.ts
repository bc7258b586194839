import type { Posts } from "./posts.ts";
import { forbidden, Refusal, type ServerChannel } from "./wire.ts";
import type { World } from "./world.ts";

/** Who comes to channels and goes, and what else happens to them, with what the server says of it. */
export class Channels {
  readonly #world: World;
  readonly #posts: Posts;

  constructor(world: World, posts: Posts) {
    this.#world = world;
    this.#posts = posts;
  }

  /** As `POST /channels/{id}/members`: oneself to a public channel, or somebody else. */
  add(by: string, id: string, user: string): void {
    const channel = this.#world.channel(id);
    if (channel.delete_at !== 0) {
      const words = "Failed to add user to channel: it has been archived or deleted.";
      throw new Refusal(400, "api.channel.add_user_to_channel.deleted.app_error", words);
    }
    const { denied } = this.#world.account(by);
    if (by === user && channel.type === "O") {
      if (!this.#world.isIn(channel.team_id, by) || denied.has("join_public_channels")) {
        throw forbidden(by, "join_public_channels");
      }
    } else {
      const permission = channel.type === "O" ? "manage_public_channel_members" : "manage_private_channel_members";
      this.#world.needs(by, id, permission);
    }
    if (!this.#world.isIn(channel.team_id, user)) {
      const words = "Unable to add the user to the channel: not a member of the team.";
      throw new Refusal(400, "api.channel.add_user.to.channel.failed.deleted.app_error", words);
    }
    this.enter(by, channel, user);
  }

  enter(by: string, channel: ServerChannel, user: string): void {
    const members = this.#world.members.get(channel.id);
    if (members === undefined || members.has(user)) return;
    members.add(user);
    this.#world.tell("user_added", { user_id: user, team_id: channel.team_id }, { channel: channel.id });
    const [name, adder] = [this.#name(user), this.#name(by)];
    if (by === user) {
      this.#posts.system(user, channel.id, "system_join_channel", `${name} joined the channel.`, { username: name });
      return;
    }
    this.#posts.system(by, channel.id, "system_add_to_channel", `${name} added to the channel by ${adder}.`, {
      userId: by,
      username: adder,
      addedUserId: user,
      addedUsername: name,
    });
  }

  /** As `DELETE /channels/{id}/members/{id}`: to leave, or to throw out. */
  remove(by: string, id: string, user: string): void {
    const channel = this.#world.channel(id);
    if (by !== user) {
      const permission = channel.type === "O" ? "manage_public_channel_members" : "manage_private_channel_members";
      this.#world.needs(by, id, permission);
    }
    if (channel.name === "town-square") {
      const words = "Unable to remove user from the default channel town-square.";
      throw new Refusal(400, "api.channel.remove.default.app_error", words);
    }
    if (!this.#world.isIn(id, user)) {
      throw new Refusal(404, "app.channel.get_member.missing.app_error", "No channel member found for that user ID.");
    }
    const name = this.#name(user);
    this.#world.members.get(id)?.delete(user);
    this.#world.tell("user_removed", { user_id: user, remover_id: by }, { channel: id });
    this.#world.tell("user_removed", { channel_id: id, remover_id: by }, { user });
    if (by === user) {
      this.#posts.system(user, id, "system_leave_channel", `${name} has left the channel.`, { username: name });
    } else {
      this.#posts.system(by, id, "system_remove_from_channel", `${name} was removed from the channel.`, {
        removedUserId: user,
        removedUsername: name,
      });
    }
  }

  /** As `PUT /channels/{id}/patch`. */
  patch(by: string, id: string, change: Readonly<Record<string, unknown>>): ServerChannel {
    const channel = this.#world.channel(id);
    const permission = channel.type === "O" ? "manage_public_channel_properties" : "manage_private_channel_properties";
    this.#world.needs(by, id, permission);
    if (channel.delete_at !== 0) {
      const words = "The channel has been archived or deleted.";
      throw new Refusal(400, "api.channel.update_channel.deleted.app_error", words);
    }
    const before = { ...channel };
    for (const name of ["header", "purpose", "display_name", "name"] as const) {
      const value = change[name];
      if (typeof value === "string") channel[name] = value;
    }
    const most = { header: 1024, purpose: 250, display_name: 64, name: 64 } as const;
    for (const [name, limit] of Object.entries(most) as [keyof typeof most, number][]) {
      if (Array.from(channel[name]).length <= limit) continue;
      Object.assign(channel, before);
      throw new Refusal(400, `model.channel.is_valid.${name}.app_error`, `Invalid ${name}.`, `id=${id}`);
    }
    channel.update_at = this.#world.now();
    this.#world.tell("channel_updated", { channel: JSON.stringify(channel) }, { channel: id });
    this.#sayChanges(by, before, channel);
    return channel;
  }

  archive(by: string, id: string): void {
    const channel = this.#world.channel(id);
    const name = this.#name(by);
    this.#posts.system(by, id, "system_channel_deleted", `${name} archived the channel.`, { username: name });
    channel.delete_at = this.#world.now();
    channel.update_at = channel.delete_at;
    this.#world.tell("channel_deleted", { channel_id: id, delete_at: channel.delete_at }, this.#around(channel));
  }

  restore(by: string, id: string): void {
    const channel = this.#world.channel(id);
    const name = this.#name(by);
    channel.delete_at = 0;
    channel.update_at = this.#world.now();
    this.#world.tell("channel_restored", { channel_id: id }, this.#around(channel));
    this.#posts.system(by, id, "system_channel_restored", `${name} unarchived the channel.`, { username: name });
  }

  /** Everybody in the team may know of a public channel. */
  #around(channel: ServerChannel): { team: string } | { channel: string } {
    return channel.type === "O" ? { team: channel.team_id } : { channel: channel.id };
  }

  #sayChanges(by: string, before: ServerChannel, after: ServerChannel): void {
    const username = this.#name(by);
    const changes = [
      ["header", "system_header_change", "channel header"],
      ["purpose", "system_purpose_change", "channel purpose"],
      ["display_name", "system_displayname_change", "channel display name"],
    ] as const;
    for (const [name, type, words] of changes) {
      const [old, now] = [before[name], after[name]];
      if (old === now) continue;
      let message = `${username} updated the ${words} from: ${old} to: ${now}`;
      if (old === "") message = `${username} updated the ${words} to: ${now}`;
      if (now === "") message = `${username} removed the ${words} (was: ${old})`;
      const short = name === "display_name" ? "displayname" : name;
      this.#posts.system(by, after.id, type, message, { username, [`old_${short}`]: old, [`new_${short}`]: now });
    }
  }

  #name(user: string): string {
    return this.#world.account(user).user.username;
  }
}
