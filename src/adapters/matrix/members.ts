import { cut } from "../../content/length.ts";
import type { Json } from "../kit/json.ts";
import { objectIn, textIn } from "../kit/json.ts";

/** So many people of a room are known by name; in larger rooms nobody is told apart beyond that. */
const MEMBERS_MAX = 50_000;
/** So much of a display name, in UTF-16 units: servers let it have the size of an event. */
const NAME_MAX = 200;
const AVATAR_MAX = 1_024;

export interface Person {
  /** Null: has none. */
  readonly name: string | null;
  /** `mxc:` URI. */
  readonly avatar: string | null;
}

/** Who is in a room, by id, and under which names. */
export class RoomMembers {
  readonly #isOwn: (id: string) => boolean;
  readonly #people = new Map<string, Person>();
  readonly #byName = new Map<string, Set<string>>();

  /** `isOwn`: users of ours, whose names count for nothing: they are those of people elsewhere. */
  constructor(isOwn: (id: string) => boolean = () => false) {
    this.#isOwn = isOwn;
  }

  get(id: string): Person | null {
    return this.#people.get(id) ?? null;
  }

  has(id: string): boolean {
    return this.#people.has(id);
  }

  get all(): readonly (readonly [id: string, person: Person])[] {
    return [...this.#people];
  }

  put(id: string, person: Person): void {
    this.remove(id);
    if (this.#people.size >= MEMBERS_MAX) return;
    this.#people.set(id, person);
    if (this.#isOwn(id)) return;
    for (const name of namesOf(id, person)) {
      const ids = this.#byName.get(name);
      if (ids === undefined) this.#byName.set(name, new Set([id]));
      else ids.add(id);
    }
  }

  remove(id: string): void {
    const person = this.#people.get(id);
    if (person === undefined) return;
    this.#people.delete(id);
    for (const name of namesOf(id, person)) {
      const ids = this.#byName.get(name);
      ids?.delete(id);
      if (ids?.size === 0) this.#byName.delete(name);
    }
  }

  /** As `m.room.member` has it. */
  take(event: Json): void {
    const id = textIn(event, "state_key");
    if (id === null) return;
    const content = objectIn(event, "content");
    if (textIn(content, "membership") === "join") this.put(id, personIn(content));
    else this.remove(id);
  }

  /** Whether somebody else has this display name, too. */
  isShared(id: string, name: string): boolean {
    const ids = this.#byName.get(folded(name));
    return ids !== undefined && (ids.size > 1 || !ids.has(id));
  }

  /** The only one in the room with this display name or local part; null when there is none, or more. */
  find(name: string): string | null {
    const ids = this.#byName.get(folded(name));
    const [id] = ids ?? [];
    return ids?.size === 1 && id !== undefined ? id : null;
  }
}

/** Of `m.room.member`, or of an entry of /joined_members. */
export function personIn(content: Json): Person {
  const name = textIn(content, "displayname") ?? textIn(content, "display_name");
  const avatar = textIn(content, "avatar_url");
  return {
    name: (name !== null && cut(name, NAME_MAX, "utf16")) || null,
    avatar: avatar !== null && avatar.length <= AVATAR_MAX ? avatar : null,
  };
}

/** `alice` of `@alice:example.org`. */
export function localpartOf(id: string): string {
  return id.replace(/^@/u, "").replace(/:.*$/su, "");
}

function namesOf(id: string, { name }: Person): ReadonlySet<string> {
  return new Set([folded(localpartOf(id)), ...(name === null ? [] : [folded(name)])]);
}

function folded(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}
