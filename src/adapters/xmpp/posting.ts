import type { Body } from "../../contract/content.ts";
import type { MessageRef, OpId, Progress } from "../../contract/ids.ts";
import { progressAt } from "./ids.ts";
import type { DeleteOp, EditOp, PostDraft, PostOp, ReactOp, TopicOp } from "../../contract/ops.ts";
import type { Loss, Outcome, Reason } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { hiddenWords } from "../../content/hidden-file.ts";
import { cut } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { captionOf, paraOf } from "../kit/words.ts";
import { onAbort } from "../../lib/abort.ts";
import type { Fate, Outbox } from "./outbox.ts";
import { authorRef, type OwnIds, type XmppPartKind, readRef, roomRef } from "./refs.ts";
import { messageRefused } from "./refusals.ts";
import { type FilePart, type XmppPart, renderPost } from "./render.ts";
import type { XmppRoom } from "./room.ts";
import {
  fileMessage,
  hiddenFileMessage,
  reactions,
  type ReplyTarget,
  retraction,
  subject,
  textMessage,
} from "./stanzas.ts";
import type { XmppUploads } from "./upload.ts";
import { type Stanza, withoutInvalid } from "./xml.ts";

/** Tries of one op after which a file that cannot be uploaded goes as a link, or not at all. */
const UPLOAD_TRIES = 3;
/** Emojis that we have under one message; a room's clients show no more. */
const EMOJIS_MAX = 32;

interface XmppSenderOptions {
  readonly room: (channel: string) => XmppRoom | null;
  readonly outbox: Outbox;
  readonly ids: OwnIds;
  readonly uploads: XmppUploads;
  readonly textMax: number;
  /** Why nothing can be sent any more; null while it can. */
  readonly over: () => Reason | null;
}

type Written =
  | { readonly ok: true; readonly id: string; readonly end: Progress; readonly fate: Promise<Fate> }
  | { readonly ok: false; readonly outcome: Outcome };

/**
 * Ops as messages of ours. What is sent is settled by what the room shows of it; what the room has shown before is not
 * sent again.
 */
export class XmppSender {
  readonly #options: XmppSenderOptions;
  /** Within a room ops are written one after the other. */
  readonly #turns = new Map<XmppRoom, Promise<unknown>>();

  constructor(options: XmppSenderOptions) {
    this.#options = options;
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const { textMax } = this.#options;
    return await this.#inRoom(op.channel, attempt, async (room) => {
      const losses: Loss[] = [];
      const parts = renderPost(op, { textMax, resume: op.resume });
      const written: Written[] = [];
      for (const [at, part] of parts.entries()) {
        const one = await this.#part(room, op, part, at === 0 && op.resume === null, attempt, losses);
        written.push(one);
        if (!one.ok) break;
      }
      return { written, losses };
    });
  }

  /**
   * Corrects the text message by message; what there is more or less of is added, or taken back. Files stay, and
   * captions below a text.
   */
  async edit(op: EditOp, attempt: Attempt): Promise<Outcome> {
    const { textMax, ids } = this.#options;
    const targets = targetsOf(op.target, ids);
    const words = targets.filter(({ of, id }) => of !== "file" && id !== null);
    const isText = words.some(({ of }) => of === "text");
    const said = wordsOf(op.body);
    const captions = said.source === op.body.source ? words.slice(0, 1) : words;
    const texts = isText ? words.filter(({ of }) => of === "text") : captions;
    const drafts = renderPost({ ...op, body: said }, { textMax, resume: null });
    const stands: (Target | null)[] = [];
    const shared = targets.filter(({ of }) => of === "file");
    const { before = -1, added = [], removed = [] } = op.changed ?? {};
    const gone = before === shared.length ? removed.flatMap(({ at }) => shared[at] ?? []) : [];
    const losses: Loss[] = [];
    return await this.#inRoom(
      op.channel,
      attempt,
      async (room) => {
        const written = drafts.flatMap((part, at) => {
          if (part.is !== "text") return [];
          const replaced = texts[at]?.id ?? undefined;
          stands.push(texts[at] ?? null);
          const id = ids.make(op.id, part.name);
          const reply = replyOf(op, room, at === 0);
          const stanza = textMessage({ room: room.jid, id }, part, {
            ...(replaced !== undefined && { replaces: replaced }),
            ...(reply !== null && { reply }),
          });
          return [this.#write(room, id, progressAt(`e${at}`), stanza)];
        });
        for (const at of added) {
          const file = op.body.files[at];
          if (file === undefined) continue;
          const part: FilePart = { is: "file", name: `f${at}`, end: progressAt(`f${at}`), file };
          written.push(await this.#part(room, op, part, false, attempt, losses));
        }
        for (const [at, extra] of [...texts.slice(drafts.length), ...gone].entries())
          written.push(this.#retract(room, op.id, `x${at}`, extra));
        return { written, losses };
      },
      (made) => {
        if (drafts.length === texts.length && op.changed === undefined) return [];
        const stay = targets.filter((target) => !texts.includes(target) && !gone.includes(target));
        const kept = stands.map((target, at) => target?.refs ?? made[at] ?? []);
        const more = made.slice(stands.length, stands.length + added.length);
        return [...kept, ...stay.map(({ refs }) => refs), ...more].flat();
      },
    );
  }

  async delete(op: DeleteOp, attempt: Attempt): Promise<Outcome> {
    const targets = targetsOf(op.target, this.#options.ids);
    const nothing = (): readonly MessageRef[] => [];
    return await this.#inRoom(
      op.channel,
      attempt,
      (room) => {
        const written = targets.map((target, at) => this.#retract(room, op.id, `d${at}`, target));
        return Promise.resolve({ written, losses: [] });
      },
      nothing,
    );
  }

  /** We have one voice: each emoji that anybody elsewhere has is shown once. */
  async react(op: ReactOp, attempt: Attempt): Promise<Outcome> {
    const target = readRef(op.target);
    if (target === null) return { is: "rejected", why: { code: "bug", message: "the message to react to has no id" } };
    const emojis = new Set(op.standing.map(({ emoji }) => emoji).slice(0, EMOJIS_MAX));
    return await this.#inRoom(
      op.channel,
      attempt,
      (room) => {
        const id = this.#options.ids.make(op.id, "r");
        const stanza = reactions({ room: room.jid, id }, target.id, emojis);
        return Promise.resolve({ written: [this.#write(room, id, progressAt("r"), stanza)], losses: [] });
      },
      () => [],
    );
  }

  /** That it may be set twice needs no intent, and no part of it is kept. */
  async topic(op: TopicOp, { signal }: Attempt): Promise<Outcome> {
    const { ids, textMax } = this.#options;
    const topic = cut(op.topic, textMax, "codepoints");
    const losses = topic === op.topic ? [] : [{ what: "length", note: "it is longer than a message may be" } as const];
    const outcome = await this.#inRoom(
      op.channel,
      { signal, sending: async () => await Promise.resolve(true), sent: () => undefined },
      (room) => {
        // Rooms say nothing of one that stands already.
        if (room.subject === topic) return Promise.resolve({ written: [], losses });
        const id = ids.make(op.id, `s${op.attempt}`);
        return Promise.resolve({
          written: [this.#write(room, id, progressAt("s"), subject({ room: room.jid, id }, topic))],
          losses,
        });
      },
      () => [],
    );
    const isForbidden = outcome.is !== "delivered" && outcome.why.code === "forbidden";
    return isForbidden ? { is: "rejected", why: MODERATORS } : outcome;
  }

  /** Writes when it is this op's turn in its room, then waits for what becomes of it. */
  async #inRoom(
    channel: string,
    attempt: Attempt,
    write: (room: XmppRoom) => Promise<{ readonly written: readonly Written[]; readonly losses: readonly Loss[] }>,
    receipt: (made: readonly (readonly MessageRef[])[]) => readonly MessageRef[] = (made) => made.flat(),
  ): Promise<Outcome> {
    const room = this.#options.room(channel);
    if (room === null) return later("network", "Rialto is not in the room");
    const aborted = abortOf(attempt.signal);
    const before = this.#turns.get(room) ?? Promise.resolve();
    const turn = Promise.withResolvers<void>();
    this.#turns.set(
      room,
      before.then(async () => await turn.promise),
    );
    try {
      await Promise.race([this.#turnIn(room, before), aborted.promise]);
      const halt = this.#halt(room, attempt);
      if (halt !== null) return halt;
      const { written, losses } = await write(room);
      turn.resolve();
      return await settled(written, { room, attempt, losses, receipt, aborted: aborted.promise });
    } finally {
      turn.resolve();
      aborted.stop();
    }
  }

  /** Resolves when those before are done and what was said before is read: also by an entry that began meanwhile. */
  async #turnIn(room: XmppRoom, before: Promise<unknown>): Promise<void> {
    await before;
    for (let ready: Promise<void> | null = null; ready !== room.ready;) {
      ready = room.ready;
      await ready;
    }
  }

  /** Why nothing may be written now. */
  #halt(room: XmppRoom, attempt: Attempt): Outcome | null {
    const over = this.#options.over();
    if (over !== null) return { is: "deferred", why: over, retryInMs: 1_000, scope: "session" };
    if (attempt.signal.aborted) return later("stopping", "sending was cancelled before the message was sent");
    return room.state === "in" && room.leaving === null ? null : later("network", "Rialto is not in the room");
  }

  async #part(
    room: XmppRoom,
    op: PostOp | EditOp,
    part: XmppPart,
    isFirst: boolean,
    attempt: Attempt,
    losses: Loss[],
  ): Promise<Written> {
    const { ids, outbox } = this.#options;
    const id = ids.make(op.id, part.name);
    const envelope = { room: room.jid, id };
    if (part.is === "text") {
      const reply = replyOf(op, room, isFirst);
      return this.#write(room, id, part.end, textMessage(envelope, part, reply === null ? {} : { reply }));
    }
    if (room.echoes.has(id) || outbox.has(id)) return this.#write(room, id, part.end, fileMessage(envelope, ""));
    const { entry } = room;
    const file = await this.#file(part, op, attempt, losses);
    const halt =
      this.#halt(room, attempt) ?? (room.entry === entry ? null : later("network", "Rialto was out of the room"));
    if (halt !== null) return { ok: false, outcome: halt };
    if (file.is === "later") return { ok: false, outcome: file.outcome };
    const hidden = part.file.spoiler === undefined ? null : withoutInvalid(hiddenWords(part.file));
    if (file.is === "link") {
      const shown = hidden === null ? fileMessage(envelope, file.url) : hiddenFileMessage(envelope, file.url, hidden);
      return this.#write(room, id, part.end, shown);
    }
    const words = { ...part, is: "text", text: file.words, unstyled: true } as const;
    return this.#write(room, id, part.end, textMessage(envelope, words, {}));
  }

  /** Where people can fetch a file; else what to say of it. */
  async #file({ file }: FilePart, op: PostOp | EditOp, attempt: Attempt, losses: Loss[]): Promise<FileFate> {
    const put = await this.#options.uploads.put(file, attempt.signal);
    if (put.ok) return { is: "link", url: put.url };
    if (put.retry && op.attempt < UPLOAD_TRIES) {
      return { is: "later", outcome: { is: "deferred", why: put.why, retryInMs: 5_000, scope: "channel" } };
    }
    if (file.url !== null) return { is: "link", url: file.url };
    losses.push({ what: "file", note: `${file.name}: ${put.why.message}` });
    const name = file.spoiler === undefined ? file.name : hiddenWords(file);
    return { is: "words", words: `(${name} could not be sent: ${put.why.message})` };
  }

  #retract(room: XmppRoom, op: OpId, part: string, { sid, id: ownId }: Target): Written {
    const id = this.#options.ids.make(op, part);
    return this.#write(room, id, progressAt(part), retraction({ room: room.jid, id }, sid ?? ownId ?? "", ownId));
  }

  #write(room: XmppRoom, id: string, end: Progress, stanza: Stanza): Written {
    const sid = room.echoes.get(id);
    const fate: Promise<Fate> =
      sid === undefined ? this.#options.outbox.write(room, id, stanza) : Promise.resolve({ is: "shown", sid });
    return { ok: true, id, end, fate };
  }
}

/** What a message says without its files: where that is nothing, their captions. */
function wordsOf(body: Body): Body {
  const captions = body.files.map(captionOf).filter((caption) => caption !== "");
  if (captions.length === 0 || plainText(body.blocks).trim() !== "") return { ...body, files: [] };
  const source = { format: "plain", text: captions.join("\n") };
  return { ...body, source, blocks: captions.map(paraOf), files: [] };
}

const MODERATORS: Reason = {
  code: "forbidden",
  message: "the room lets only moderators set the subject; make Rialto one, or let everybody change it",
};

type FileFate =
  | { readonly is: "link"; readonly url: string }
  | { readonly is: "words"; readonly words: string }
  | { readonly is: "later"; readonly outcome: Outcome };

interface Settling {
  readonly room: XmppRoom;
  readonly attempt: Attempt;
  readonly losses: readonly Loss[];
  readonly receipt: (made: readonly (readonly MessageRef[])[]) => readonly MessageRef[];
  readonly aborted: Promise<"aborted">;
}

/** Takes the parts in their order; the first that is not shown decides. */
async function settled(
  written: readonly Written[],
  { room, attempt, losses, receipt, aborted }: Settling,
): Promise<Outcome> {
  const made: (readonly MessageRef[])[] = [];
  for (const one of written) {
    if (!one.ok) return one.outcome;
    const fate = await Promise.race([one.fate, aborted]);
    if (fate === "aborted") return unknown("stopping", "sending was cancelled before the room showed the message");
    if (fate.is === "unknown") return { is: "unknown", why: fate.why };
    if (fate.is === "gone") return { is: "deferred", why: fate.why, retryInMs: 1_000, scope: "channel" };
    if (fate.is === "dropped")
      return { is: "rejected", why: { code: "remote_error", message: "the room did not pass the message on" } };
    if (fate.is === "refused") return messageRefused(fate.error, room.occupant(room.ownNick)?.role === "visitor");
    const refs = [...(fate.sid === null ? [] : [roomRef(fate.sid)]), authorRef(room.ownIdentity, one.id)];
    made.push(refs);
    attempt.sent(one.end, refs);
  }
  return { is: "delivered", receipt: { messages: receipt(made), losses } };
}

/** A message of ours, as its refs name it. */
interface Target {
  readonly refs: readonly MessageRef[];
  readonly sid: string | null;
  readonly id: string | null;
  readonly of: XmppPartKind;
}

/** Each message has the room's ref, where there is one, and after it ours. */
function targetsOf(refs: readonly MessageRef[], ids: OwnIds): readonly Target[] {
  const targets: Target[] = [];
  let open: { ref: MessageRef; sid: string } | null = null;
  for (const ref of refs) {
    const read = readRef(ref);
    if (read?.by === "room") {
      if (open !== null) targets.push({ refs: [open.ref], sid: open.sid, id: null, of: "text" });
      open = { ref, sid: read.id };
    } else if (read !== null) {
      const both: readonly MessageRef[] = open === null ? [ref] : [open.ref, ref];
      targets.push({ refs: both, sid: open?.sid ?? null, id: read.id, of: ids.kindOf(read.id) });
      open = null;
    }
  }
  if (open !== null) targets.push({ refs: [open.ref], sid: open.sid, id: null, of: "text" });
  return targets;
}

function replyOf({ reply }: Pick<PostDraft, "reply">, room: XmppRoom, isFirst: boolean) {
  const target = reply === null || !isFirst ? null : readRef(reply.target);
  if (reply === null || target === null) return null;
  const to = target.by === "room" ? room.authorOf(target.id) : null;
  const named: ReplyTarget = { id: target.id, to: to ?? (reply.name === "" ? null : `${room.jid}/${reply.name}`) };
  return { op: reply, target: named };
}

function later(code: Reason["code"], message: string): Outcome {
  return { is: "deferred", why: { code, message }, retryInMs: 1_000, scope: "channel" };
}

function unknown(code: Reason["code"], message: string): Outcome {
  return { is: "unknown", why: { code, message } };
}

function abortOf(signal: AbortSignal): { readonly promise: Promise<"aborted">; readonly stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<"aborted">();
  return { promise, stop: onAbort(signal, () => resolve("aborted")) };
}
