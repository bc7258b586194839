import type { Host } from "../../contract/host.ts";
import { messageRef } from "./ids.ts";
import type { ChannelRef, MessageRef, OpId } from "../../contract/ids.ts";
import type { DeleteOp, PostDraft, PostOp } from "../../contract/ops.ts";
import type { Loss, Outcome, Reason } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { Lru } from "../../lib/lru.ts";
import { isAborted } from "../../lib/abort.ts";
import type { Client, Result } from "./client.ts";
import { quote } from "../kit/ends.ts";
import { DONE, GIVEN_UP, NOT_THERE, outcomeOf } from "../kit/outcomes.ts";
import { isBarred, type MatrixFailure } from "./failure.ts";
import type { Ghosts } from "./ghosts.ts";
import { type Json, textIn } from "../kit/json.ts";
import { fileInWords } from "../kit/words.ts";
import { fileContent, paragraph, type MatrixPart, renderPost, txnOf } from "./render.ts";
import { missingRights, type MatrixRoom } from "./room.ts";
import type { MatrixRooms } from "./rooms.ts";
import type { MatrixSettings } from "./settings.ts";
import { textOf, type TextOptions, type TextIdentity } from "./text.ts";
import type { MatrixUploads } from "./uploads.ts";
import type { SenderIdentity, SenderIdentities } from "./identities.ts";

/** Transactions whose echo may still come. */
const ECHOES_MAX = 5_000;
/** How often a user of ours that may not write is brought into the room again. */
const GHOST_TRIES = 2;

/** Whoever may give us the right to write is a person. */
const MUTED_MS = 60_000;

/** The state that names the policy server of a room, and its name in the draft. */
const POLICY = ["m.room.policy", "org.matrix.msc4284.policy"];

export interface SenderOptions {
  readonly client: Client;
  readonly host: Host;
  readonly rooms: MatrixRooms;
  readonly settings: MatrixSettings;
  readonly uploads: MatrixUploads;
  readonly identities: SenderIdentities;
  readonly ghosts: Ghosts | null;
  readonly user: string;
}

/** What is sent: an event of a type under a transaction, by a user. */
export interface MatrixMessage {
  readonly op: OpId;
  readonly part: string;
  readonly type: string;
  readonly content: Json;
  readonly as: string | null;
}

/** Sends the parts of posts, each once however often it is tried; edits and reactions send through it, too. */
export class Sender {
  readonly options: SenderOptions;
  readonly #echoes = new Lru<string, OpId>(ECHOES_MAX);

  constructor(options: SenderOptions) {
    this.options = options;
  }

  opOf(txn: string): OpId | null {
    return this.#echoes.get(txn) ?? null;
  }

  /** The room behind a channel; null while we are not in it. */
  room(channel: ChannelRef): MatrixRoom | null {
    return this.options.rooms.joined(channel);
  }

  /** Element shows hidden files openly. */
  get linksHidden(): boolean {
    return this.options.settings.SpoilerMedia === "link";
  }

  textOptions(draft: PostDraft, room: MatrixRoom, textIdentity: TextIdentity): TextOptions {
    const find = (name: string): string | null => room.members.find(name);
    return { textIdentity, html: !this.options.settings.HTMLDisable, mayPing: draft.mayPing, find };
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const room = this.room(op.channel);
    if (room === null) return NOT_THERE;
    if (attempt.signal.aborted) return GIVEN_UP;
    const found = await this.options.identities.of(op.author, room, attempt.signal);
    if (!found.ok) return notNow(found.failure);
    const identity = found.value;
    const { parts, losses } = renderPost(op, {
      ...this.textOptions(op, room, identity.textIdentity),
      resume: op.resume,
      linksHidden: this.linksHidden,
    });
    const all = [...identity.losses, ...losses];
    const messages: MessageRef[] = [];
    for (const part of parts) {
      if (isAborted(attempt.signal)) return GIVEN_UP;
      const sent = await this.#part({ op, draft: op, part, room, identity, losses: all }, attempt.signal);
      if (!sent.ok)
        return await this.failed(sent.failure, { room, as: identity.as, attempt: op.attempt, signal: attempt.signal });
      const ref = messageRef(sent.value);
      messages.push(ref);
      attempt.sent(part.end, [ref]);
    }
    return { is: "delivered", receipt: { messages, losses: all } };
  }

  /** One message of ours. The homeserver answers a repeated one as it did the first. */
  async send(
    room: MatrixRoom,
    { op, part, type, content, as }: MatrixMessage,
    signal: AbortSignal,
  ): Promise<Result<string>> {
    const txn = txnOf(op, part);
    this.#echoes.set(txn, op);
    return await this.options.client.send(room.id, type, txn, content, { as, signal });
  }

  /** A file of a post as its own message, or as a line when the homeserver does not take it. */
  async #part(job: PartJob, signal: AbortSignal): Promise<Result<string>> {
    const { op, part, room, identity } = job;
    const message = { op: op.id, part: String(part.index), type: "m.room.message", as: identity.as };
    if (part.is === "text")
      return await this.send(room, { ...message, content: dressed(part.content, identity.textIdentity) }, signal);
    const content = await this.fileOrLine(job, part, signal);
    if (!content.ok) return content;
    return await this.send(
      room,
      { ...message, content: dressed({ ...content.value, ...part.relation }, identity.textIdentity) },
      signal,
    );
  }

  async fileOrLine(
    job: Pick<PartJob, "draft" | "room" | "identity" | "losses">,
    part: Extract<MatrixPart, { is: "file" }>,
    signal: AbortSignal,
  ): Promise<Result<Json>> {
    const { file, caption } = part;
    const uploaded = await this.options.uploads.take(file, signal);
    const asFile = file.spoiler !== undefined && this.linksHidden;
    if (uploaded.ok) return { ok: true, value: fileContent(file, caption, uploaded.media, asFile) };
    if (uploaded.failure !== null) return { ok: false, failure: uploaded.failure };
    job.losses.push({ what: "file", note: `${file.name}: ${uploaded.why.message}` });
    const { draft, room, identity } = job;
    const line = fileInWords({ ...file, missing: uploaded.why.message });
    const author = part.index === 0 ? draft.author : null;
    const { body, html } = textOf(paragraph(line), null, author, this.textOptions(draft, room, identity.textIdentity));
    const formatted = html === null ? {} : { format: "org.matrix.custom.html", formatted_body: html };
    return { ok: true, value: { msgtype: "m.text", body, ...formatted, "m.mentions": {} } };
  }

  /** A refusal may mean that we, or a user of ours, were thrown out: then it is not forever. */
  async failed(failure: MatrixFailure, { room, as, attempt, signal }: Trying): Promise<Outcome> {
    if (isBarred(failure)) return { is: "deferred", why: failure.why, retryInMs: MUTED_MS, scope: "session" };
    if (failure.why.code !== "forbidden") return outcomeOf(failure);
    const { client, ghosts } = this.options;
    const rooms = await client.joinedRooms(signal);
    if (!rooms.ok) return { is: "deferred", why: rooms.failure.why, retryInMs: 1_000, scope: "channel" };
    if (!rooms.value.includes(room.id)) return NOT_THERE;
    if (as === null && (await this.#isMuted(room, signal))) {
      const message = `Rialto may not write in the room; raise the power level of ${this.options.user}`;
      return { is: "deferred", why: { code: "forbidden", message }, retryInMs: MUTED_MS, scope: "channel" };
    }
    if (as === null || ghosts === null || attempt > GHOST_TRIES)
      return { is: "rejected", why: await this.#refusal(failure, room, signal) };
    ghosts.forget(as, room);
    return NOT_THERE;
  }

  /** A room may have a policy server (MSC4284), which refuses messages in the name of the homeserver. */
  async #refusal({ why, errcode }: MatrixFailure, room: MatrixRoom, signal: AbortSignal): Promise<Reason> {
    if (errcode !== "M_FORBIDDEN") return why;
    const { client, user } = this.options;
    for (const type of POLICY) {
      const policy = await client.state(room.id, type, signal);
      const via = policy.ok ? quote(textIn(policy.value, "via") ?? "") : "";
      if (via === "") continue;
      const remedy = `ask the room's moderators to let ${user} pass its filters`;
      return { ...why, message: `${why.message}; the room's policy server ${via} may have refused it: ${remedy}` };
    }
    return why;
  }

  async #isMuted({ id, ours }: MatrixRoom, signal: AbortSignal): Promise<boolean> {
    if (ours) return false;
    const { client, user } = this.options;
    const levels = await client.state(id, "m.room.power_levels", signal);
    return levels.ok && missingRights(levels.value, user).cannotSpeak;
  }

  /** Redacts messages of ours, or of others where we may: what is gone already is no failure. */
  async delete(op: DeleteOp, attempt: Attempt): Promise<Outcome> {
    const room = this.room(op.channel);
    if (room === null) return NOT_THERE;
    // The last part first: what is left for a moment still begins with who says it.
    for (const target of op.target.toReversed()) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const redacted = await this.redact(room, target, { op: op.id, part: target }, attempt.signal);
      if (!redacted.ok && redacted.failure.status !== 404)
        return await this.failed(redacted.failure, { room, as: null, attempt: op.attempt, signal: attempt.signal });
    }
    return DONE;
  }

  /** As the user who wrote it, when that is one of ours: nobody needs a right for that. */
  async redact(
    room: MatrixRoom,
    target: string,
    { op, part }: Pick<MatrixMessage, "op" | "part">,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    const { client, ghosts } = this.options;
    const written = ghosts === null ? null : await client.event(room.id, target, signal);
    if (written?.ok === false) return written;
    const sender = written?.value["sender"];
    const as = typeof sender === "string" && ghosts?.owns(sender) === true ? sender : null;
    const txn = txnOf(op, part);
    this.#echoes.set(txn, op);
    return await client.redact(room.id, target, txn, { as, signal });
  }
}

interface Trying {
  readonly room: MatrixRoom;
  readonly as: string | null;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

interface PartJob {
  readonly op: PostOp;
  readonly draft: PostDraft;
  readonly part: MatrixPart;
  readonly room: MatrixRoom;
  readonly identity: SenderIdentity;
  readonly losses: Loss[];
}

/** MSC4144. */
export function dressed(content: Json, textIdentity: TextIdentity): Json {
  if (textIdentity.is !== "profile") return content;
  const { id, name, avatar } = textIdentity;
  const profile = {
    id,
    displayname: name,
    ...(avatar !== null && { avatar_url: avatar }),
    has_fallback: "formatted_body" in content,
  };
  return { ...content, "com.beeper.per_message_profile": profile };
}

/** Nothing was sent: who is to speak cannot be settled now. */
export function notNow({ why, retryInMs }: MatrixFailure): Outcome {
  return { is: "deferred", why, retryInMs: retryInMs ?? 1_000, scope: "session" };
}
