import type { DiscordChannel } from "./records.ts";

/** What a bridge can be in, the likeliest first: text and announcements, forums, the text of voice channels. */
const RANKS: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [5, 0],
  [15, 1],
  [16, 1],
  [2, 2],
  [13, 2],
]);
const CATEGORY = 4;

export type FoundChannel =
  | { readonly is: "one"; readonly channel: DiscordChannel }
  /** Several are called like this. */
  | { readonly is: "many"; readonly channels: readonly DiscordChannel[] }
  | { readonly is: "none" };

/** Whether it is a channel of its own where people write, and no thread. */
export const isHomeType = (type: number): boolean => RANKS.has(type);

/** Whether people write there. */
export const isRoomType = (type: number): boolean => RANKS.has(type) || (type >= 10 && type <= 12);

/** The id in `ID:123`; null: it is a name. */
export const idOf = (name: string): string | null => /^ID:(\d{1,20})$/u.exec(name)?.[1] ?? null;

/** The channel that a configuration calls `name`: `general`, or `category/general`. Case counts where it decides. */
export function findChannel(name: string, channels: readonly DiscordChannel[]): FoundChannel {
  const categories = new Map(channels.filter(({ type }) => type === CATEGORY).map((one) => [one.id, one.name]));
  const namesOf = (channel: DiscordChannel): readonly string[] => [
    channel.name,
    `${categories.get(channel.parent) ?? ""}/${channel.name}`,
  ];
  const wanted = name.normalize();
  const alike = channels.filter(
    (channel) => RANKS.has(channel.type) && namesOf(channel).some((one) => folded(one) === folded(wanted)),
  );
  const exact = alike.filter((channel) => namesOf(channel).some((one) => one.normalize() === wanted));
  const best = exact.length > 0 ? exact : alike;
  const rank = Math.min(...best.map(({ type }) => RANKS.get(type) ?? Infinity));
  const first = best.filter(({ type }) => RANKS.get(type) === rank);
  const [channel] = first;
  if (channel === undefined) return { is: "none" };
  return first.length === 1 ? { is: "one", channel } : { is: "many", channels: first };
}

const folded = (text: string): string => text.normalize().toLowerCase();
