import type { WebAuthor, WebEvent, WebMember, WebMessage, WebReaction, WebRoom } from "../../contract/web-chat.ts";
import { excerpt } from "../../content/length.ts";
import { hiddenText } from "../../content/hidden.ts";
import { hiddenWords } from "../../content/hidden-file.ts";
import { personId } from "./ids.ts";
import type { StoredAuthor, StoredChange, StoredFile, StoredGuest, StoredMessage } from "./store/rows.ts";
import type { RoomTimeline } from "./store/timeline.ts";

const EXCERPT_MAX = 120;

/** What the page is told, by what is stored. `reader`: id of the guest who reads. */
export class Views {
  readonly #timeline: RoomTimeline;
  readonly #room: (guest: StoredGuest) => WebRoom;

  constructor(timeline: RoomTimeline, room: (guest: StoredGuest) => WebRoom) {
    this.#timeline = timeline;
    this.#room = room;
  }

  message(message: StoredMessage, reader: string): WebMessage {
    const { id, atMs, author, guest, style, blocks, text, revision, files } = message;
    return {
      id,
      time: new Date(atMs).toISOString(),
      author: authorView(author, guest, reader),
      style,
      blocks,
      text: guest === reader ? text : "",
      reply_to: this.#reply(message),
      edited: revision > 0,
      reactions: this.#reactions(id, reader),
      files,
    };
  }

  /** Null: there is nothing to tell this reader. */
  event({ change, guest }: StoredChange, reader: StoredGuest): WebEvent | null {
    if (guest !== "" && guest !== reader.id) return null;
    switch (change.is) {
      case "posted":
      case "edited": {
        const message = this.#timeline.find(change.id);
        if (message?.state !== "said") return null;
        return { type: `message.${change.is}`, message: this.message(message, reader.id) };
      }
      case "deleted":
        return { type: "message.deleted", id: change.id };
      case "reacted": {
        const { id, emoji, on, count } = change;
        const author = authorView(change.author, guestOf(change.author), reader.id);
        return { type: on ? "reaction.added" : "reaction.removed", id, emoji, count, author };
      }
      case "member": {
        const member = memberView(change.author, reader.id, change.change !== "left");
        if (change.change === "renamed") return { type: "member.renamed", member, before: change.before };
        return { type: `member.${change.change}`, member };
      }
      case "hold":
        return { type: "hold", id: change.id, approved: change.approved };
      case "room":
        return { type: "room", room: this.#room(reader) };
    }
  }

  /** Whether all readers but the author are told the same. */
  isShared({ change, guest }: StoredChange): boolean {
    if (guest !== "" || change.is === "room") return false;
    return change.is !== "edited" || this.#timeline.reactions(change.id).length === 0;
  }

  /** Whom a change is told in other words. */
  concerned({ change }: StoredChange): string {
    if (change.is === "posted" || change.is === "edited") return this.#timeline.find(change.id)?.guest ?? "";
    return change.is === "reacted" || change.is === "member" ? change.author.id : "";
  }

  #reply({ reply }: StoredMessage): WebMessage["reply_to"] {
    if (reply === null) return null;
    const target = this.#timeline.find(reply);
    if (target?.state !== "said") return { id: reply, author: "", excerpt: "" };
    const words = hiddenText(target.blocks) || fileName(target.files[0]);
    return { id: reply, author: target.author.name, excerpt: excerpt(words, EXCERPT_MAX) };
  }

  #reactions(message: string, reader: string): readonly WebReaction[] {
    const counts = new Map<string, { count: number; mine: boolean }>();
    for (const { emoji, who } of this.#timeline.reactions(message)) {
      const one = counts.get(emoji) ?? { count: 0, mine: false };
      counts.set(emoji, { count: one.count + 1, mine: one.mine || who === reader });
    }
    return Array.from(counts, ([emoji, one]) => ({ emoji, ...one }));
  }
}

const guestOf = ({ id, network }: StoredAuthor): string => (network === "" ? id : "");

export function authorView(author: StoredAuthor, guest: string, reader: string): WebAuthor {
  const { id, name, network } = author;
  const mine = guest !== "" && guest === reader;
  return { id: network === "" ? id : personId(network, id), name, avatar: null, mine, guest: guest !== "", network };
}

export function memberView(
  { id, name, network }: StoredAuthor,
  reader: string,
  present: WebMember["present"],
): WebMember {
  return { id, name, guest: network === "", network, mine: id === reader, present };
}

export const guestAuthor = ({ id, name }: Pick<StoredGuest, "id" | "name">): StoredAuthor => ({
  id,
  name,
  network: "",
});

/** The name of a hidden file may tell what it shows. */
function fileName(file: StoredFile | undefined): string {
  if (file === undefined) return "";
  return file.spoiler === undefined ? file.name : hiddenWords(file);
}
