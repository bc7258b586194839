import type { Ended } from "../../contract/session.ts";
import { misconfigured } from "../kit/ends.ts";

/** What a bridge does, as an invitation asks for it (`PermissionFlagsBits`). */
const WANTED =
  (1n << 6n) | // Add Reactions
  (1n << 10n) | // View Channel
  (1n << 11n) | // Send Messages
  (1n << 13n) | // Manage Messages
  (1n << 14n) | // Embed Links
  (1n << 15n) | // Attach Files
  (1n << 16n) | // Read Message History
  (1n << 29n) | // Manage Webhooks
  (1n << 35n) | // Create Public Threads
  (1n << 38n); // Send Messages in Threads

/** A guild that the bot is in. */
interface GuildName {
  readonly id: string;
  readonly name: string;
}

/** Where whoever may manage a guild lets the bot in. */
export const inviteLink = (application: string, web: string): string =>
  `${web}/oauth2/authorize?client_id=${application}&scope=bot&permissions=${WANTED}`;

/** The guild that the setting `Server` means. `invite`: where a person who may manage the guild lets the bot in. */
export function findGuild(server: string, guilds: readonly GuildName[], invite: string): GuildName | Ended {
  const wanted = server.trim();
  const byId = guilds.find(({ id }) => wanted.replace(/^ID:/u, "") === id);
  if (byId !== undefined) return byId;
  const exact = guilds.filter(({ name }) => name === wanted);
  const found = exact.length > 0 ? exact : guilds.filter(({ name }) => folded(name) === folded(wanted));
  const [guild] = found;
  if (guild === undefined) {
    const others = guilds.slice(0, NAMED_MAX).map(({ name }) => JSON.stringify(name));
    const where = others.length === 0 ? "it is on no server yet" : `it is on ${others.join(", ")}`;
    return misconfigured(
      `the bot is not on the server ${JSON.stringify(wanted)} (${where}): let it in by ${invite} and restart Rialto, which otherwise notices within an hour; or correct Server`,
    );
  }
  if (found.length === 1) return guild;
  const ids = found.map(({ id }) => `ID:${id}`).join(", ");
  return misconfigured(`the bot is on several servers called ${JSON.stringify(wanted)}: set Server to one of ${ids}`);
}

const NAMED_MAX = 5;
const folded = (name: string): string => name.normalize().toLowerCase();
