import { isObject, type Json, listIn, textIn } from "../kit/json.ts";
import { idIn, type TelegramMessage, type TelegramSaid } from "./model.ts";

const ALBUMS_MAX = 10;
/** Characters of one album as the cursor has it. */
const ALBUM_MAX = 4_000;
/** … and of all of them: the cursor goes to disk with all that comes. */
const ALL_MAX = 6_000;

/** What stands below one file of an album. */
export interface TelegramCaption {
  readonly id: number;
  readonly said: TelegramSaid;
}

interface Album {
  readonly chat: number;
  readonly captions: readonly TelegramCaption[];
  readonly size: number;
}

/**
 * What the last albums say that have words below several of their files: an edit names but one of them, also in a later
 * session. It is a part of the cursor.
 */
export class TelegramCaptions {
  readonly #albums = new Map<string, Album>();
  #moved = false;

  /** `said`: as a cursor has it. */
  constructor(said: readonly unknown[]) {
    for (const one of said.slice(-ALBUMS_MAX)) {
      const chat = isObject(one) ? idIn(one, "chat") : null;
      if (chat === null || !isObject(one)) continue;
      this.#set(
        chat,
        listIn(one, "captions").flatMap((caption) => captionIn(caption) ?? []),
      );
    }
    this.#moved = false;
  }

  /** It is other than when it was written last. */
  get moved(): boolean {
    return this.#moved;
  }

  /** An album as it is now, all of it. */
  note(chat: number, captions: readonly TelegramCaption[]): void {
    const [first] = captions;
    if (first !== undefined && this.#albums.delete(`${chat}/${first.id}`)) this.#moved = true;
    if (captions.filter(({ said }) => said.text !== "").length > 1) this.#set(chat, captions);
  }

  /** Those of the album that a message belongs to; null: that is not known. */
  around({ chat, id }: Pick<TelegramMessage, "chat" | "id">): readonly TelegramCaption[] | null {
    for (const album of this.#albums.values())
      if (album.chat === chat.id && album.captions.some((caption) => caption.id === id)) return album.captions;
    return null;
  }

  /** Its part of a cursor, which is up to date then. */
  write(): readonly Json[] {
    this.#moved = false;
    return Array.from(this.#albums.values(), ({ chat, captions }) => ({
      chat,
      captions: captions.map(({ id, said }) => ({ id, ...said })),
    }));
  }

  #set(chat: number, captions: readonly TelegramCaption[]): void {
    const [first] = captions;
    const size = JSON.stringify(captions).length;
    if (first === undefined || size > ALBUM_MAX) return;
    this.#albums.set(`${chat}/${first.id}`, { chat, captions, size });
    this.#moved = true;
    let all = 0;
    for (const album of this.#albums.values()) all += album.size;
    for (const [key, album] of this.#albums) {
      if (this.#albums.size <= ALBUMS_MAX && all <= ALL_MAX) return;
      this.#albums.delete(key);
      all -= album.size;
    }
  }
}

function captionIn(raw: unknown): TelegramCaption | null {
  const id = isObject(raw) ? idIn(raw, "id") : null;
  if (id === null || !isObject(raw)) return null;
  const entities = listIn(raw, "entities").filter((one) => isObject(one));
  return { id, said: { text: textIn(raw, "text") ?? "", entities } };
}
