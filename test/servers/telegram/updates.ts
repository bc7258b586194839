import type { BotRow, ChatRow, MessageRow, Told, UpdateKind, WireUpdate } from "./wire.ts";
import { Refusal } from "./wire.ts";
import { ANONYMOUS, AS_CHANNEL, type World } from "./world.ts";

/** What is only sent to whoever asks for it by name. */
const ON_REQUEST: ReadonlySet<string> = new Set(["chat_member", "message_reaction", "message_reaction_count"]);
/** The longest time that a poll waits, in seconds. */
const TIMEOUT_MAX = 50;
/** Updates that nobody takes are kept so long. */
const KEPT_MS = 24 * 3600 * 1000;

interface Kept {
  readonly update: WireUpdate;
  readonly at: number;
}

interface Waiting {
  readonly wake: () => void;
  readonly end: (why: Refusal) => void;
}

/** So far beyond the next id an offset may be. */
const AHEAD_MAX = 10;

interface Box {
  queue: Kept[];
  next: number;
  waiting: Waiting | null;
}

export interface Poll {
  readonly offset: number;
  readonly limit: number;
  /** Seconds. */
  readonly timeout: number;
}

export const conflict = (why: string): Refusal => new Refusal(409, `Conflict: ${why}`);

/** Who hears what, and what has been confirmed. */
export class Updates {
  readonly #world: World;
  readonly #boxes = new Map<number, Box>();
  /** Kinds of updates that are lost, as a server in trouble loses them. */
  readonly dropped = new Set<UpdateKind>();
  /** Polls that were ended by another one. */
  conflicts = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** A message, for all bots that may see it. */
  message(row: MessageRow, how: "new" | "edited"): void {
    const isPost = row.chat.wire.type === "channel";
    for (const bot of this.#world.bots.values()) {
      if (!sees(bot, row)) continue;
      if (how === "new") this.put(bot, isPost ? { channel_post: row.wire } : { message: row.wire });
      else this.put(bot, isPost ? { edited_channel_post: row.wire } : { edited_message: row.wire });
    }
  }

  /** For bots that are administrators. */
  forAdmins(chat: ChatRow, told: Told): void {
    for (const bot of this.#world.bots.values()) if (isAdmin(chat, bot.user.id)) this.put(bot, told);
  }

  put(bot: BotRow, told: Told): void {
    const [kind] = Object.keys(told);
    if (kind === undefined || !wants(bot, kind) || [...this.dropped].some((one) => one === kind)) return;
    const box = this.#box(bot);
    const update = { update_id: box.next, ...structuredClone(told) };
    box.next += 1;
    box.queue.push({ update, at: this.#world.clock.now() });
    box.waiting?.wake();
  }

  /** What has not been confirmed; waits for it. Who waited before is told that somebody else asks. */
  async poll(bot: BotRow, { offset, limit, timeout }: Poll): Promise<WireUpdate[]> {
    const box = this.#box(bot);
    if (box.waiting !== null) this.conflicts += 1;
    this.end(bot, conflict("terminated by other getUpdates request; make sure that only one bot instance is running"));
    if (bot.webhook !== "") {
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    box.queue = box.queue.filter(({ at }) => this.#world.clock.now() - at < KEPT_MS);
    // One that no update can have for long is taken for none: it is of another server, or from before ids began anew.
    const isPlausible = offset > 0 && offset <= box.next + AHEAD_MAX;
    if (isPlausible) box.queue = box.queue.filter(({ update }) => update.update_id >= offset);
    if (offset < 0) box.queue = box.queue.slice(offset);
    if (box.queue.length === 0 && timeout > 0) await this.#arrival(box, Math.min(timeout, TIMEOUT_MAX));
    return box.queue.slice(0, limit).map(({ update }) => update);
  }

  /** Ends a poll that waits. */
  end(bot: BotRow, why: Refusal): void {
    this.#box(bot).waiting?.end(why);
  }

  /** Whether a poll waits for something to happen. */
  isPolled(bot: BotRow): boolean {
    return this.#box(bot).waiting !== null;
  }

  /** How many have not been confirmed. */
  waiting(bot: BotRow): number {
    return this.#box(bot).queue.length;
  }

  /** Ids go on from here, as at another server. */
  count(bot: BotRow, from: number): void {
    this.#box(bot).next = from;
  }

  /** What waits is thrown away. */
  forget(bot: BotRow): void {
    this.#box(bot).queue = [];
  }

  /** Nobody waits any more: the connections are gone. */
  release(): void {
    for (const { waiting } of this.#boxes.values()) waiting?.wake();
  }

  async #arrival(box: Box, seconds: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { wake: resolve, end: reject };
    const timer = setTimeout(resolve, seconds * 1000);
    box.waiting = waiting;
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      if (box.waiting === waiting) box.waiting = null;
    }
  }

  #box(bot: BotRow): Box {
    const { id } = bot.user;
    const box = this.#boxes.get(id) ?? { queue: [], next: 500_000_000 + (id % 1000) * 1000, waiting: null };
    this.#boxes.set(id, box);
    return box;
  }
}

const wants = ({ allowed }: BotRow, kind: string): boolean =>
  allowed === null ? !ON_REQUEST.has(kind) : allowed.has(kind);

export const isAdmin = (chat: ChatRow, id: number): boolean =>
  ["creator", "administrator"].includes(chat.members.get(id)?.status ?? "left");

export function isIn(chat: ChatRow, id: number): boolean {
  const status = chat.members.get(id)?.status ?? "left";
  return status !== "left" && status !== "kicked";
}

/** Bots see messages of bots only in a mode of their own, and with privacy only what is meant for them. */
function sees(bot: BotRow, row: MessageRow): boolean {
  const { chat, wire, by } = row;
  const { id } = bot.user;
  if (by === id || !isIn(chat, id)) return false;
  const { from } = wire;
  const isMask = from?.id === ANONYMOUS.id || from?.id === AS_CHANNEL.id;
  if (from?.is_bot === true && !isMask && !row.isService && !bot.hearsBots) return false;
  if (chat.wire.type === "private") return true;
  if (chat.wire.type === "channel") return isAdmin(chat, id);
  return !bot.hasPrivacy || isAdmin(chat, id) || row.isService || isMeant(bot, row);
}

function isMeant(bot: BotRow, { chat, wire }: MessageRow): boolean {
  const text = wire.text ?? wire.caption ?? "";
  const entities = wire.entities ?? wire.caption_entities ?? [];
  const name = `@${bot.user.username}`.toLowerCase();
  const isNamed = entities.some(({ type, offset, length }) => {
    const part = text.slice(offset, offset + length).toLowerCase();
    if (type === "mention") return part === name;
    if (type !== "bot_command") return false;
    return part.includes("@") ? part.endsWith(name) : chat.lastBot === bot.user.id;
  });
  if (isNamed) return true;
  const answered = wire.reply_to_message;
  if (answered === undefined || answered.forum_topic_created !== undefined) return false;
  return chat.messages.get(answered.message_id)?.by === bot.user.id;
}
