import type { OpAuthor } from "../../contract/ops.ts";
import type { Loss, ReasonCode } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import type { Client, Result } from "./client.ts";
import type { MatrixFailure } from "./failure.ts";
import type { Ghosts } from "./ghosts.ts";
import { toldApart } from "./look-alikes.ts";
import { namesOf, type MatrixRoom } from "./room.ts";
import type { MatrixSettings } from "./settings.ts";
import { oneLine } from "../kit/words.ts";
import type { TextIdentity } from "./text.ts";
import type { MatrixUploads } from "./uploads.ts";

export interface SenderIdentity {
  readonly textIdentity: TextIdentity;
  /** The user who sends it; null for our own. */
  readonly as: string | null;
  readonly losses: readonly Loss[];
}

interface SenderIdentitiesOptions {
  readonly client: Client;
  readonly settings: MatrixSettings;
  readonly user: string;
  readonly uploads: MatrixUploads;
  /** Only as an application service. */
  readonly ghosts: Ghosts | null;
}

const NAMES_MAX = 1_000;
const NAME_MAX = 200;

const BOT: SenderIdentity = { textIdentity: { is: "prefix" }, as: null, losses: [] };

/**
 * Who says it, by the best way that works here: a user of their own, a name of the message, our changed name, the name
 * before the text.
 */
export class SenderIdentities {
  readonly #options: SenderIdentitiesOptions;
  /** Our display name in each room, as we have changed it. */
  readonly #names = new Lru<string, string>(NAMES_MAX);

  constructor(options: SenderIdentitiesOptions) {
    this.#options = options;
  }

  /** A failure: it cannot be settled now, and was not for a reason that lasts. */
  async of(author: OpAuthor | null, room: MatrixRoom, signal: AbortSignal): Promise<Result<SenderIdentity>> {
    const { ghosts, settings, user } = this.#options;
    if (author === null) return sure(BOT);
    if (ghosts !== null) return await this.#ghost(ghosts, author, room, signal);
    if (settings.UseMSC4144) {
      const shown = oneLine(author.name).trim().slice(0, NAME_MAX) || author.id;
      const name = toldApart(shown, author.account, namesOf(user, room));
      const textIdentity = {
        is: "profile",
        id: `${author.account}:${author.id}`,
        name,
        avatar: await this.#avatar(author, signal),
      } as const;
      return sure({ textIdentity, as: null, losses: [] });
    }
    return settings.SpoofUsername ? await this.#spoofed(author, room, signal) : sure(BOT);
  }

  async #ghost(
    ghosts: Ghosts,
    author: OpAuthor,
    room: MatrixRoom,
    signal: AbortSignal,
  ): Promise<Result<SenderIdentity>> {
    const ready = await ghosts.ready(author, await this.#avatar(author, signal), room, signal);
    if (ready.ok) return sure({ textIdentity: { is: "own" }, as: ready.value, losses: [] });
    return without(ready.failure, "the sender could not get a user on Matrix");
  }

  async #spoofed({ shown }: OpAuthor, room: MatrixRoom, signal: AbortSignal): Promise<Result<SenderIdentity>> {
    const { client, user } = this.#options;
    const name = oneLine(shown).trim().slice(0, NAME_MAX);
    if (this.#names.get(room.id) !== name) {
      const member = { membership: "join", displayname: name, avatar_url: room.members.get(user)?.avatar ?? undefined };
      const changed = await client.setState(room.id, "m.room.member", user, member, { signal });
      if (!changed.ok) return without(changed.failure, "Rialto's name could not be changed");
      this.#names.set(room.id, name);
    }
    return sure({ textIdentity: { is: "own" }, as: null, losses: [] });
  }

  /** A picture that cannot be fetched is left out. */
  async #avatar({ avatar }: OpAuthor, signal: AbortSignal): Promise<string | null> {
    if (avatar === null || avatar.id === null) return null;
    const uploaded = await this.#options.uploads.take(avatar, signal);
    return uploaded.ok ? uploaded.media.mxc : null;
  }
}

const sure = (value: SenderIdentity): Result<SenderIdentity> => ({ ok: true, value });

/** Failures that pass by themselves. */
const PASSING: ReadonlySet<ReasonCode> = new Set(["rate_limited", "network", "timeout", "stopping", "auth"]);

/** The name comes before the text instead. */
function without(failure: MatrixFailure, what: string): Result<SenderIdentity> {
  if (PASSING.has(failure.why.code)) return { ok: false, failure };
  return sure({ ...BOT, losses: [{ what: "identity", note: `${what}: ${failure.why.message}` }] });
}
