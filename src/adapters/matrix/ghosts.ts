import type { OpAuthor } from "../../contract/ops.ts";
import { Lru } from "../../lib/lru.ts";
import { Claims, nameOf } from "./claims.ts";
import type { Client, Result } from "./client.ts";
import type { MatrixFailure } from "./failure.ts";
import { type Json, NOTHING } from "../kit/json.ts";
import { toldApart } from "./look-alikes.ts";
import { namesOf, type MatrixRoom, serverOf } from "./room.ts";

/** So many remote senders are remembered as registered and dressed; for another one both are done again. */
const GHOSTS_MAX = 10_000;

interface Ghost {
  readonly name: string | null;
  readonly avatar: string | null;
}

interface GhostsOptions {
  readonly client: Client;
  readonly prefix: string;
  /** Our own user id. */
  readonly user: string;
}

/** Users of our namespace, one for each remote sender: made, named and brought into rooms when they first speak. */
export class Ghosts {
  readonly #options: GhostsOptions;
  readonly #claims: Claims;
  readonly #known = new Lru<string, Ghost>(GHOSTS_MAX);
  readonly #present = new Lru<string, true>(GHOSTS_MAX * 4);

  constructor(options: GhostsOptions) {
    this.#options = options;
    this.#claims = new Claims({
      client: options.client,
      userOf: (localpart) => `@${options.prefix}${localpart}:${this.#server}`,
      make: async (user, signal) => await this.#make(user, signal),
    });
  }

  owns(user: string): boolean {
    return user.startsWith(`@${this.#options.prefix}`) && user.endsWith(`:${this.#server}`);
  }

  get #server(): string {
    return serverOf(this.#options.user) ?? "";
  }

  /** Its id, when it can speak in the room now. `avatar`: `mxc:` URI. */
  async ready(author: OpAuthor, avatar: string | null, room: MatrixRoom, signal: AbortSignal): Promise<Result<string>> {
    const chosen = await this.#claims.userOf(author, signal);
    if (!chosen.ok) return chosen;
    const id = chosen.value;
    const dressed = await this.#dress(id, { name: this.#nameOf(author, room), avatar }, signal);
    if (!dressed.ok) return dressed;
    const entered = await this.#enter(id, room, signal);
    return entered.ok ? { ok: true, value: id } : entered;
  }

  /** It may have been thrown out. */
  forget(id: string, room: MatrixRoom): void {
    this.#present.delete(`${id} ${room.id}`);
    room.members.remove(id);
  }

  /** Nobody is shown like ourselves. */
  #nameOf(author: OpAuthor, room: MatrixRoom): string {
    return toldApart(nameOf(author), author.account, namesOf(this.#options.user, room));
  }

  async #make(id: string, signal: AbortSignal): Promise<Result<Ghost>> {
    const known = this.#known.get(id);
    if (known !== undefined) return { ok: true, value: known };
    const made = await this.#options.client.register(id.slice(1, id.indexOf(":")), signal);
    if (!made.ok && made.failure.errcode !== "M_USER_IN_USE") return made;
    const ghost = { name: null, avatar: null };
    this.#known.set(id, ghost);
    return { ok: true, value: ghost };
  }

  async #dress(
    id: string,
    { name, avatar }: { readonly name: string; readonly avatar: string | null },
    signal: AbortSignal,
  ): Promise<Result<Json>> {
    const { client } = this.#options;
    const made = await this.#make(id, signal);
    if (!made.ok) return made;
    const ghost = made.value;
    if (ghost.name !== name) {
      const named = await client.setProfile(id, "displayname", name, { as: id, signal });
      if (!named.ok) return named;
    }
    this.#known.set(id, { name, avatar: ghost.avatar });
    if (avatar !== null && ghost.avatar !== avatar) {
      const shown = await client.setProfile(id, "avatar_url", avatar, { as: id, signal });
      // A picture is no reason to hold a message up.
      if (shown.ok) this.#known.set(id, { name, avatar });
    }
    return NOTHING_WRONG;
  }

  async #enter(id: string, room: MatrixRoom, signal: AbortSignal): Promise<Result<unknown>> {
    const { client } = this.#options;
    const key = `${id} ${room.id}`;
    if (room.members.has(id) || this.#present.get(key) === true) return NOTHING_WRONG;
    let entered = await client.join(room.id, null, { as: id, signal });
    if (!entered.ok && isShut(entered.failure)) {
      const invited = await client.invite(room.id, id, { signal });
      if (!invited.ok) return invited;
      entered = await client.join(room.id, null, { as: id, signal });
    }
    if (entered.ok) this.#present.set(key, true);
    return entered;
  }
}

const NOTHING_WRONG = { ok: true, value: NOTHING } as const;

const isShut = ({ errcode }: MatrixFailure): boolean => errcode === "M_FORBIDDEN";
