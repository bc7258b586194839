import { randomBytes } from "node:crypto";
import type {
  RoomGuest,
  GuestAct,
  GuestActed,
  GuestDesk,
  GuestReport,
  GuestRules,
  HeldMessage,
  Invite,
  InviteSpec,
  NewInvite,
} from "../../contract/guests.ts";
import { plainText } from "../../content/plain.ts";
import { act as actOn, erase } from "./acts.ts";
import type { Chat } from "./chat.ts";
import { appear, digestOf, newSecret } from "./guests.ts";
import { decide } from "./moderators.ts";
import type { StoredReport } from "./store/records.ts";
import type { StoredGuest, StoredMessage } from "./store/rows.ts";

const OPERATOR = "an operator";

const newId = (): string => randomBytes(6).toString("hex");

/** What operators do. */
export class WebDesk implements GuestDesk {
  readonly url: string;
  readonly #chat: Chat;

  constructor(chat: Chat) {
    this.#chat = chat;
    this.url = chat.url;
  }

  takesGuests(channel: string): boolean {
    return channel.toLowerCase() !== this.#chat.moderators;
  }

  invites(): readonly Invite[] {
    return this.#chat.people.invites();
  }

  async invite({ channel, uses, expiresInMs, hold }: InviteSpec): Promise<NewInvite | null> {
    const room = channel.toLowerCase();
    if (!this.#chat.isOpen(room)) return null;
    const secret = newSecret();
    const createdMs = this.#chat.nowMs;
    const invite = { id: newId(), channel: room, uses, hold, createdMs, expiresMs: createdMs + expiresInMs };
    await this.#chat.store.write(() => this.#chat.people.addInvite(digestOf(secret), invite));
    return { ...invite, used: 0, url: `${this.url}/join#${secret}` };
  }

  async revoke(id: string): Promise<boolean> {
    return await this.#chat.store.write(() => this.#chat.people.removeInvite(id));
  }

  guests(channel: string | null): readonly RoomGuest[] {
    return this.#chat.people.all(channel?.toLowerCase() ?? null).map((guest) => this.#view(guest));
  }

  held(): readonly HeldMessage[] {
    return this.#chat.timeline.inState("held").map(heldView);
  }

  async approve(id: string): Promise<boolean> {
    return await decide(this.#chat, id, { approved: true, by: OPERATOR });
  }

  async reject(id: string): Promise<boolean> {
    return await decide(this.#chat, id, { approved: false, by: OPERATOR });
  }

  reports(): readonly GuestReport[] {
    return this.#chat.records.reports().map((report) => reportView(report, this.#chat.timeline.find(report.message)));
  }

  async settle(report: string): Promise<boolean> {
    return await this.#chat.store.write(() => this.#chat.records.removeReport(report));
  }

  async act(id: string, act: GuestAct): Promise<GuestActed | null> {
    const guest = this.#chat.people.find(id);
    if (guest === null) return null;
    const deleted = act === "purge" ? await this.#purge(guest) : 0;
    if (act === "mute") await this.#mute(guest);
    if (act === "unmute") await this.#unmute(guest);
    if (act === "ban") await this.#ban(guest);
    if (act === "unban") {
      await this.#set(guest, () => {
        this.#chat.people.set(id, "banned", false);
        this.#chat.people.unban(id);
      });
    }
    this.#chat.store.check();
    const now = this.#chat.people.find(id);
    return now === null ? null : { guest: this.#view(now), deleted };
  }

  moderation(channel: string): GuestRules | null {
    const room = channel.toLowerCase();
    return this.#chat.isOpen(room) ? this.#chat.rules(room) : null;
  }

  async moderate(channel: string, rules: Partial<GuestRules>): Promise<GuestRules | null> {
    const room = channel.toLowerCase();
    if (!this.#chat.isOpen(room)) return null;
    await this.#chat.change(() => {
      this.#chat.records.setRules(room, { ...this.#chat.records.rules(room), ...rules });
      return [this.#chat.timeline.change(room, this.#chat.nowMs, { is: "room" })];
    });
    for (const { id } of this.#chat.people.all(room)) await appear(this.#chat, id);
    return this.#chat.rules(room);
  }

  async #set({ id, room }: Pick<StoredGuest, "id" | "room">, task: () => void): Promise<void> {
    await this.#chat.change(() => {
      task();
      return [this.#chat.timeline.change(room, this.#chat.nowMs, { is: "room" }, id)];
    });
  }

  /** For `BanTime`, who joins by the same invite from the same address is muted as well. */
  async #mute({ id, room }: StoredGuest): Promise<void> {
    const { people, settings, nowMs } = this.#chat;
    await this.#set({ id, room }, () => people.mute(id, { by: id, untilMs: nowMs + settings.BanTime }));
  }

  /** Lifts all that came of the mute: also guests who were muted because they joined like this one. */
  async #unmute({ id, room }: StoredGuest): Promise<void> {
    const lifted = this.#chat.people.mutedWith(id);
    for (const each of lifted) await this.#set({ id: each, room }, () => this.#chat.people.unmute(each));
    for (const each of lifted) await appear(this.#chat, each);
  }

  /** The session ends, and nobody joins from the address for a time. */
  async #ban(guest: StoredGuest): Promise<void> {
    const { people, settings, audience, nowMs } = this.#chat;
    await this.#chat.store.write(() => {
      people.set(guest.id, "banned", true);
      if (guest.net !== "") people.ban(guest.net, guest.room, guest.id, nowMs + settings.BanTime);
    });
    audience?.dismiss(guest.id);
  }

  /** By ordinary deletions, which every network gets. What the core does not take now stays, for another try. */
  async #purge(guest: StoredGuest): Promise<number> {
    const { timeline } = this.#chat;
    let count = 0;
    for (const { id } of timeline.saidBy(guest.id)) {
      const isGone = await this.#chat.inTurn(id, async () => {
        const message = timeline.find(id);
        if (message === null || message.print === "deleted") return true;
        if (message.state !== "held") return (await actOn(this.#chat, message, { is: "deleted", by: null })) === null;
        await erase(this.#chat, [id]);
        return true;
      });
      if (!isGone) break;
      count += 1;
    }
    return count;
  }

  #view(guest: StoredGuest): RoomGuest {
    const { id, room, name, joinedMs, seenMs, messages, muted, banned, invite } = guest;
    const held = this.#chat.holds(guest);
    // The room does not see a guest who is held or muted, but the moderators do.
    const present = guest.present || this.#chat.audience?.watches(id) === true;
    return { id, channel: room, name, joinedMs, seenMs, present, messages, held, muted, banned, invite };
  }
}

function heldView({ id, room, guest, author, text, files, atMs }: StoredMessage): HeldMessage {
  return { id, channel: room, guest, name: author.name, text, files: files.map(({ name }) => name), atMs };
}

function reportView({ id, room, name, why, message, atMs }: StoredReport, found: StoredMessage | null): GuestReport {
  const said = found?.state === "said" ? found : null;
  return {
    id,
    channel: room,
    by: name,
    why,
    message,
    author: said?.author.name ?? "",
    guest: found?.guest ?? "",
    text: said === null ? "" : plainText(said.blocks),
    atMs,
  };
}
