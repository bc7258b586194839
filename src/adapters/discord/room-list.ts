import { findChannel, isHomeType } from "./find-channel.ts";
import type { DiscordGuildState } from "./guild.ts";
import { ROOM_RIGHT } from "./permissions.ts";

/** Channels that we can see, as short as `findChannel` finds them; threads are not among them. */
export function listRooms(state: Pick<DiscordGuildState, "channels" | "channel" | "rights">): readonly string[] {
  const { channels } = state;
  return channels
    .filter(({ type, id }) => isHomeType(type) && (state.rights(id) & ROOM_RIGHT.viewChannel) !== 0n)
    .map(({ id, name, parent }) => {
      const category = state.channel(parent)?.name;
      const names = category === undefined ? [name] : [name, `${category}/${name}`];
      const leads = (text: string): boolean => {
        const found = findChannel(text, channels);
        return found.is === "one" && found.channel.id === id;
      };
      return names.find(leads) ?? `ID:${id}`;
    });
}
