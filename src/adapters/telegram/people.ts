import type { RemoteFile } from "../../contract/content.ts";
import type { Author } from "../../contract/events.ts";
import type { Clock } from "../../contract/host.ts";
import { cut } from "../../content/length.ts";
import { Lru } from "../../lib/lru.ts";
import { cleanName } from "../kit/clean-name.ts";
import { Directory } from "../kit/directory.ts";
import { inTime } from "../kit/in-time.ts";
import { isObject, numberIn, objectIn, textIn } from "../kit/json.ts";
import type { TelegramApi, TelegramPicture } from "./api.ts";
import { fileRef, userRef } from "./ids.ts";
import type { TelegramMessage, TelegramPeer, TelegramUser } from "./model.ts";
import type { TelegramResult } from "./result.ts";
import type { TelegramSettings } from "./settings.ts";

/** So many people are known at once, those who have spoken last. */
const PEOPLE_MAX = 3_000;
/** A picture counts for so long; somebody without one may have one by then. */
const FRESH_MS = 24 * 3_600_000;
/** Nobody asks again for so long after a look-up that failed. */
const FAILED_MS = 600_000;
/** What is said must not wait longer for a picture. */
const WAIT_MS = 1_000;
/** Look-ups at once: what is said beyond that goes without a picture, and connections are left for all else. */
const LOADS_MAX = 4;
const NAME_MAX = 80;

const never = new AbortController().signal;

interface TelegramPeopleOptions {
  readonly api: Pick<TelegramApi, "picture" | "call">;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  readonly settings: Pick<TelegramSettings, "UseFirstName" | "UseFullName">;
}

/** Who people are, which every message says itself, and their pictures, which are looked up. */
export class TelegramPeople {
  readonly #options: TelegramPeopleOptions;
  /** By the ids of people, and of chats that speak themselves. */
  readonly #pictures: Directory<number, TelegramPicture>;
  /** When they were asked for. */
  readonly #asked = new Lru<number, number>(PEOPLE_MAX);
  /** Those that count until it is known whether there are others. */
  readonly #before = new Lru<number, TelegramPicture>(PEOPLE_MAX);
  /** By chat and name in lower case; `several`: nobody can tell who is meant. */
  readonly #named = new Lru<string, number | "several">(PEOPLE_MAX);
  /** Names as they were shown last. */
  readonly #shown = new Lru<number, string>(PEOPLE_MAX);
  #loads = 0;
  /** Until when the server wants to be asked for none. */
  #shutMs = 0;

  constructor(options: TelegramPeopleOptions) {
    const { clock } = options;
    this.#options = options;
    this.#pictures = new Directory({
      clock,
      max: PEOPLE_MAX,
      absentMs: FRESH_MS,
      failedMs: FAILED_MS,
      load: async (id) => {
        const found = await this.#load(id);
        if (!found.ok) throw new Error(found.failure.message);
        return found.value;
      },
    });
  }

  /**
   * Asks for the picture of whoever said it. Null: that need not be waited for, because it is known, or was waited for
   * before. Never rejects.
   */
  ask({ from, senderChat, chat }: Pick<TelegramMessage, "from" | "senderChat" | "chat">): Promise<void> | null {
    const { clock } = this.#options;
    const id = (senderChat ?? from ?? chat).id;
    const nowMs = clock.monoMs();
    const askedMs = this.#asked.get(id);
    if (askedMs !== undefined && nowMs - askedMs < FRESH_MS) return null;
    if (this.#loads >= LOADS_MAX || nowMs < this.#shutMs) return null;
    this.#asked.set(id, nowMs);
    const known = this.#pictures.known(id);
    if (known !== undefined && known !== null) {
      this.#before.set(id, known);
      this.#pictures.forget(id);
    }
    this.#loads += 1;
    const picture = this.#pictures.get(id).then(() => void (this.#loads -= 1));
    if (askedMs !== undefined) return null;
    return inTime(picture, { clock, ms: WAIT_MS }, () => undefined);
  }

  /** Who says it, with the picture if it is known. */
  author({ from, senderChat, chat, signature }: TelegramMessage): Author {
    if (senderChat !== null) return this.ofPeer(senderChat, signature);
    return from === null ? this.ofPeer(chat, signature) : this.ofUser(from);
  }

  ofUser(user: TelegramUser): Author {
    return { ...this.#author(user.id, this.#nameOf(user)), ...(user.isBot && { bot: true }) };
  }

  /** `signature`: who speaks for the chat; empty: nobody says. */
  ofPeer({ id, title, username }: TelegramPeer, signature = ""): Author {
    const name = cleanName(title) || cleanName(username);
    const signed = cleanName(signature);
    return this.#author(id, signed === "" || signed === name ? name : `${signed} (${name})`);
  }

  /** Somebody has done something. Who it was before, if that was under another name. */
  met(user: TelegramUser): Author | null {
    const name = this.#nameOf(user);
    const before = this.#shown.get(user.id) ?? name;
    this.#shown.set(user.id, name);
    return before === name ? null : this.#author(user.id, before);
  }

  /** They can be found by their names from now on. */
  note(chat: number, user: TelegramUser): void {
    for (const name of [user.firstName, `${user.firstName} ${user.lastName}`, user.username]) {
      const key = `${chat}/${cleanName(name).toLowerCase()}`;
      const known = this.#named.get(key) ?? user.id;
      this.#named.set(key, known === user.id ? known : "several");
    }
  }

  /** The one who is known by this name, without `@`, in a chat; null: nobody is, or several are. */
  idOf(chat: number, name: string): number | null {
    const id = this.#named.get(`${chat}/${cleanName(name).toLowerCase()}`);
    return id === undefined || id === "several" || name === "" ? null : id;
  }

  #author(id: number, name: string): Author {
    const known = this.#pictures.known(id);
    const picture = known === undefined ? this.#before.get(id) : known;
    const avatar = picture === null || picture === undefined ? null : pictureFile(picture);
    return { id: userRef(id), identity: null, name: cut(name || "somebody", NAME_MAX, "codepoints"), avatar };
  }

  #nameOf({ firstName, lastName, username }: TelegramUser): string {
    const { UseFirstName, UseFullName } = this.#options.settings;
    const full = `${firstName} ${lastName}`;
    const first = UseFullName ? [full] : UseFirstName ? [firstName] : [];
    return [...first, username, full].map(cleanName).find((name) => name !== "") ?? "";
  }

  async #load(id: number): Promise<TelegramResult<TelegramPicture | null>> {
    const { api, clock } = this.#options;
    const found =
      id > 0 ? await api.picture(id, never) : chatPicture(await api.call("getChat", { chat_id: id }, never));
    if (!found.ok && found.failure.retryAfterMs !== null) this.#shutMs = clock.monoMs() + found.failure.retryAfterMs;
    return found;
  }
}

function chatPicture(answer: TelegramResult<unknown>): TelegramResult<TelegramPicture | null> {
  if (!answer.ok) return answer;
  const photo = isObject(answer.value) ? objectIn(answer.value, "photo") : {};
  const id = textIn(photo, "small_file_id");
  return { ok: true, value: id === null ? null : { id, bytes: numberIn(photo, "file_size") } };
}

function pictureFile({ id, bytes }: TelegramPicture): RemoteFile {
  const [name, mime] = ["avatar.jpg", "image/jpeg"];
  return { name, comment: "", mime, bytes, url: null, ref: fileRef({ id, name, bytes, mime }) };
}
