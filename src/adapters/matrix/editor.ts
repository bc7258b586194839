import type { MessageRef } from "../../contract/ids.ts";
import { messageRef } from "./ids.ts";
import type { EditOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import type { Result } from "./client.ts";
import type { MatrixFailure } from "./failure.ts";
import { type Json, objectIn, textIn } from "../kit/json.ts";
import { GIVEN_UP, GONE, NOT_THERE } from "../kit/outcomes.ts";
import { editContent, type MatrixPart, renderPost } from "./render.ts";
import type { MatrixRoom } from "./room.ts";
import { dressed, notNow, type Sender } from "./sender.ts";
import { textOf, type TextIdentity } from "./text.ts";

/** A message of the post as it stands. */
interface Standing {
  readonly id: string;
  readonly content: Json;
  /** One of our users, or null for ourselves. */
  readonly as: string | null;
}

interface Editing {
  readonly op: EditOp;
  readonly attempt: Attempt;
  readonly room: MatrixRoom;
  readonly texts: readonly Standing[];
  readonly files: readonly Standing[];
  readonly textIdentity: TextIdentity;
  readonly as: string | null;
}

/**
 * Edits of posts that may be several messages. What was text gets the new text: messages that are too many are
 * redacted, those that are missing are sent. What was a file stays, and gets the new text as its caption where the post
 * has no other text.
 */
export class Editor {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  async edit(op: EditOp, attempt: Attempt): Promise<Outcome> {
    const room = this.#sender.room(op.channel);
    if (room === null) return NOT_THERE;
    if (attempt.signal.aborted) return GIVEN_UP;
    const standing = await this.#standing(op, room, attempt.signal);
    if (!standing.ok) return await this.#failed(standing.failure, { op, attempt, room, as: null });
    const [first] = standing.value;
    if (first === undefined) return GONE;
    const isFile = ({ content }: Standing): boolean => typeof content["url"] === "string";
    const texts = standing.value.filter((one) => !isFile(one));
    const files = standing.value.filter(isFile);
    const textIdentity = await this.#textIdentity(op, first, room, attempt.signal);
    if (!textIdentity.ok) return notNow(textIdentity.failure);
    const editing: Editing = { op, attempt, room, texts, files, textIdentity: textIdentity.value, as: first.as };
    return texts.length === 0 && op.body.files.length === 0 ? await this.#caption(editing) : await this.#texts(editing);
  }

  /** As it was: a message of the bot keeps the name before its text, also when its sender has a user meanwhile. */
  async #textIdentity(
    op: EditOp,
    { as }: Standing,
    room: MatrixRoom,
    signal: AbortSignal,
  ): Promise<Result<TextIdentity>> {
    const { ghosts, identities } = this.#sender.options;
    if (as !== null) return { ok: true, value: { is: "own" } };
    if (ghosts !== null) return { ok: true, value: { is: "prefix" } };
    const identity = await identities.of(op.author, room, signal);
    return identity.ok ? { ok: true, value: identity.value.textIdentity } : identity;
  }

  /** The messages that are still there. */
  async #standing(op: EditOp, room: MatrixRoom, signal: AbortSignal): Promise<Result<readonly Standing[]>> {
    const { client, ghosts } = this.#sender.options;
    const found: Standing[] = [];
    for (const id of op.target) {
      const event = await client.event(room.id, id, signal);
      if (!event.ok && event.failure.status === 404) continue;
      if (!event.ok) return event;
      const sender = textIn(event.value, "sender") ?? "";
      const content = objectIn(event.value, "content");
      // What was redacted has no content any more.
      if (textIn(content, "msgtype") === null) continue;
      found.push({ id, content, as: ghosts?.owns(sender) === true ? sender : null });
    }
    return { ok: true, value: found };
  }

  async #caption({ op, attempt, room, files, textIdentity }: Editing): Promise<Outcome> {
    const [first] = files;
    if (first === undefined) return GONE;
    const { body, html, mentions } = textOf(
      op.body.blocks,
      op.body.source,
      op.author,
      this.#sender.textOptions(op, room, textIdentity),
    );
    const { "m.relates_to": _, format: __, formatted_body: ___, ...file } = first.content;
    const formatted = html === null ? {} : { format: "org.matrix.custom.html", formatted_body: html };
    const content = { ...file, filename: file["filename"] ?? file["body"], body, ...formatted, "m.mentions": mentions };
    const sent = await this.#replace(op, first, dressed(content, textIdentity), room, attempt.signal);
    return sent.ok ? same([]) : await this.#failed(sent.failure, { op, attempt, room, as: first.as });
  }

  async #texts(editing: Editing): Promise<Outcome> {
    const { op, attempt, room, texts, files, textIdentity } = editing;
    const draft = { ...op, reply: null, thread: null };
    const { parts, losses } = renderPost(draft, {
      ...this.#sender.textOptions(op, room, textIdentity),
      resume: null,
      linksHidden: this.#sender.linksHidden,
    });
    const all: Loss[] = [...losses];
    const words = parts.filter((part) => part.is === "text");
    const rendered = parts.filter((part) => part.is === "file");
    const { changed } = op;
    const isNew = ({ file }: (typeof rendered)[number]): boolean =>
      changed?.added.includes(op.body.files.indexOf(file)) === true;
    const added = changed === undefined ? rendered.slice(files.length) : rendered.filter(isNew);
    const gone = changed?.before === files.length ? changed.removed.flatMap(({ at }) => files[at] ?? []) : [];
    const refs: MessageRef[] = [];
    for (const [at, part] of words.entries()) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const old = texts[at];
      const sent =
        old === undefined
          ? await this.#more(editing, dressed(part.content, textIdentity), `text ${at}`)
          : await this.#replace(op, old, dressed(part.content, textIdentity), room, attempt.signal);
      if (!sent.ok) return await this.#failed(sent.failure, editing);
      refs.push(messageRef(old?.id ?? sent.value));
    }
    refs.push(...files.filter((file) => !gone.includes(file)).map(({ id }) => messageRef(id)));
    for (const [at, part] of added.entries()) {
      const sent = await this.#file(editing, part, all, at);
      if (!sent.ok) return await this.#failed(sent.failure, editing);
      refs.push(messageRef(sent.value));
    }
    for (const { id } of [...texts.slice(words.length), ...gone]) {
      const gone = await this.#sender.redact(room, id, { op: op.id, part: id }, attempt.signal);
      if (!gone.ok && gone.failure.status !== 404) return await this.#failed(gone.failure, editing);
    }
    const isSame = refs.length === op.target.length && refs.every((ref, at) => ref === op.target[at]);
    return { is: "delivered", receipt: { messages: isSame ? [] : refs, losses: all } };
  }

  async #replace(
    op: EditOp,
    old: Standing,
    content: Json,
    room: MatrixRoom,
    signal: AbortSignal,
  ): Promise<Result<string>> {
    const message = {
      op: op.id,
      part: old.id,
      type: "m.room.message",
      content: editContent(old.id, content),
      as: old.as,
    };
    return await this.#sender.send(room, message, signal);
  }

  async #more({ op, room, attempt, as }: Editing, content: Json, part: string): Promise<Result<string>> {
    return await this.#sender.send(room, { op: op.id, part, type: "m.room.message", content, as }, attempt.signal);
  }

  async #file(
    editing: Editing,
    part: Extract<MatrixPart, { is: "file" }>,
    losses: Loss[],
    at: number,
  ): Promise<Result<string>> {
    const { op, room, textIdentity, as, attempt } = editing;
    const job = { draft: op, room, identity: { textIdentity, as, losses: [] }, losses };
    const content = await this.#sender.fileOrLine(job, part, attempt.signal);
    return content.ok ? await this.#more(editing, dressed(content.value, textIdentity), `file ${at}`) : content;
  }

  async #failed(
    failure: MatrixFailure,
    { op, attempt, room, as }: Pick<Editing, "op" | "attempt" | "room" | "as">,
  ): Promise<Outcome> {
    return await this.#sender.failed(failure, { room, as, attempt: op.attempt, signal: attempt.signal });
  }
}

const same = (losses: readonly Loss[]): Outcome => ({ is: "delivered", receipt: { messages: [], losses } });
