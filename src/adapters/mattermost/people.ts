import type { Author } from "../../contract/events.ts";
import type { Clock } from "../../contract/host.ts";
import type { FileRef } from "../../contract/ids.ts";
import { cleanName } from "../kit/clean-name.ts";
import { Directory } from "../kit/directory.ts";
import { isCertain } from "../kit/outcomes.ts";
import type { RestFailure } from "../kit/rest.ts";
import type { MattermostApi, MattermostResult } from "./api.ts";
import { avatarRef, userRef } from "./ids.ts";
import type { MattermostUser } from "./model.ts";
import type { MattermostSettings } from "./settings.ts";

/** So many people are known at once, those who have spoken last; others are looked up again. */
const PEOPLE_MAX = 3_000;
/** A name that nobody has is not asked for again for so long. */
const ABSENT_MS = 60_000;
/** Nor is anybody of whom the server has said nothing: each time may take until the request is given up. */
const FAILED_MS = 20_000;

const never = new AbortController().signal;

interface PeopleOptions {
  readonly api: MattermostApi;
  readonly clock: Pick<Clock, "monoMs">;
  readonly settings: Pick<MattermostSettings, "UseUserName">;
}

/** Who people are: looked up when they first do something, and kept fresh by what the server tells. */
export class MattermostPeople {
  readonly #options: PeopleOptions;
  readonly #byId: Directory<string, MattermostUser>;
  readonly #byName: Directory<string, string>;

  constructor(options: PeopleOptions) {
    const { api, clock } = options;
    this.#options = options;
    const kept = { clock, max: PEOPLE_MAX, absentMs: ABSENT_MS, failedMs: FAILED_MS };
    this.#byId = new Directory({ ...kept, load: async (id) => absentOr(await api.user(id, never)) });
    this.#byName = new Directory({
      ...kept,
      load: async (name) => {
        const user = absentOr(await api.userNamed(name, never));
        if (user !== null) this.#byId.put(user.id, user);
        return user?.id ?? null;
      },
    });
  }

  /** Null when there is none. Never rejects. */
  async get(id: string): Promise<MattermostUser | null> {
    return id === "" ? null : await this.#byId.get(id);
  }

  /** The user with this user name, in any spelling; null when there is none. Never rejects. */
  async named(username: string): Promise<MattermostUser | null> {
    const id = await this.#byName.get(username.toLowerCase());
    return id === null ? null : await this.get(id);
  }

  /** Without asking anybody; null: not known now. */
  known(id: string): MattermostUser | null {
    return this.#byId.known(id) ?? null;
  }

  /** Whether somebody has to be asked for this one, and can be asked now. */
  isToAsk(id: string): boolean {
    return id !== "" && this.#byId.known(id) === undefined && !this.#byId.hasFailed(id);
  }

  /**
   * Looks up all who are not known, in few requests. Null: who is still not known cannot be looked up; otherwise why
   * some of them are not known now.
   */
  async learn(ids: Iterable<string>): Promise<RestFailure | null> {
    let failure: RestFailure | null = null;
    const unknown = [...new Set(ids)].filter((id) => id !== "" && this.#byId.known(id) === undefined);
    for (let at = 0; at < unknown.length; at += IDS_MAX) {
      const users = await this.#options.api.users(unknown.slice(at, at + IDS_MAX), never);
      if (!users.ok && !isForGood(users.failure)) failure = users.failure;
      // One that is refused may be so because of somebody in it; a server that does not answer has to be spared.
      if (failure !== null && (failure.status === 0 || failure.status === 429)) return failure;
      for (const user of valueOf(users) ?? []) this.#byId.put(user.id, user);
    }
    return failure;
  }

  /** Somebody has changed; what was known before. Those whom nobody has asked for stay unknown. */
  changed(user: MattermostUser): Author | null {
    const known = this.#byId.known(user.id);
    if (known === undefined || known === null) return null;
    const before = this.author(user.id);
    this.#byName.forget(known.username);
    this.#byName.forget(user.username);
    this.#byId.put(user.id, user);
    return before;
  }

  author(id: string, fallback = ""): Author {
    return authorOf(id, this.known(id), fallback, this.#options.settings);
  }
}

/** Servers look up so many at once. */
const IDS_MAX = 100;

/** What a person is called: the nickname, or the user name. `fallback`: of one whom nobody can look up. */
export function authorOf(
  id: string,
  user: MattermostUser | null,
  fallback: string,
  { UseUserName }: Pick<MattermostSettings, "UseUserName">,
): Author {
  const username = cleanName(user?.username ?? "") || cleanName(fallback);
  const name = (UseUserName ? "" : cleanName(user?.nickname ?? "")) || username || "somebody";
  const avatar = user === null ? null : avatarFile(avatarRef(user.id, user.pictureAt));
  return { id: userRef(id), identity: null, name, avatar, ...(user?.isBot === true && { bot: true }) };
}

const avatarFile = (ref: FileRef): Author["avatar"] => ({
  name: "avatar",
  comment: "",
  mime: null,
  bytes: null,
  url: null,
  ref,
});

/** Asking again would be refused again. A login that has ended is begun anew. */
const isForGood = ({ status }: RestFailure): boolean => isCertain(status) && status !== 401 && status !== 429;

/** Null: there is none, by the server's word. Rejects what says nothing of that. */
function absentOr<T>(result: MattermostResult<T>): T | null {
  if (result.ok) return result.value;
  const { status, message } = result.failure;
  if (status === 404 || status === 403 || status === 400) return null;
  throw new Error(message);
}

function valueOf<T>(result: { readonly ok: true; readonly value: T } | { readonly ok: false }): T | null {
  return result.ok ? result.value : null;
}
