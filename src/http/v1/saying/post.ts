import type { Access } from "../../../access/access.ts";
import { EventLabel, type Message } from "../../../contract/message.ts";
import { aboutReply } from "../../../gateway/acts.ts";
import { type About, encodeStored } from "../../../gateway/codec.ts";
import { postedNote } from "../../../gateway/posted.ts";
import type { Batch, Known, Seq } from "../../../log/log.ts";
import { findTarget, type PostPlace } from "../../api/acting.ts";
import type { Said, SayOutcome, SayScene, Speech } from "../../api/say.ts";
import type { OutcomeWaiter } from "../../api/waiter.ts";
import type { V1Deps } from "../deps.ts";
import { ProblemError } from "../problems.ts";
import type { Reply } from "../route.ts";
import { droppedReply, mismatch } from "./answers.ts";
import { extraOf, findFiles, type FoundFile } from "./given-files.ts";
import { placeOf } from "./places.ts";
import { etagOfRevision } from "./revision.ts";
import type { NewMessageBody } from "./shapes.ts";
import { shownMarks } from "./uploads.ts";
import { callerName, LABELS, mentionsOf, namesOf } from "./words.ts";
import { type Written, written } from "../../../gateway/written.ts";

export type PostDeps = Pick<V1Deps, "ingest" | "routes" | "log" | "files" | "feed" | "config" | "account" | "clock">;

/** A message as a client of `/v1` says it, by HTTP or over a socket. */
export interface Posting {
  readonly gateway: string;
  readonly fields: NewMessageBody;
  readonly access: Access;
  /** `Idempotency-Key`, and what tells another body; null: there is none. */
  readonly once: { readonly key: string; readonly fingerprint: string } | null;
}

type OnceName = Pick<NonNullable<Batch["once"]>, "key" | "fingerprint">;

/** What has to be looked up before it can be said. */
interface Found {
  readonly about: About | null;
  readonly files: readonly FoundFile[];
}

const NOTHING: Found = { about: null, files: [] };

/**
 * Says it; the answer when it is durable. Fails with a ProblemError, or with a LogError when the log does not take it.
 * No promise where nothing has to be looked up: of these there are many.
 */
export function postThen(posting: Posting, deps: PostDeps, waiter: OutcomeWaiter<Reply>): void {
  const { text = "", files = [], reply_to: reply, thread } = posting.fields;
  if (text === "" && files.length === 0) return waiter.failed(NOTHING_SAID);
  if (files.length === 0 && !isId(reply) && !isId(thread)) return say(posting, NOTHING, deps, waiter);
  const failed = (error: unknown): void => waiter.failed(error);
  void find(posting, deps).then(
    (found) => say(posting, found, deps, waiter),
    async (error: unknown) => {
      if (!(error instanceof ProblemError) || posting.once === null) return failed(error);
      // What it names may have gone since it was said.
      await saidBefore(posting, deps).then((said) => (said === null ? failed(error) : waiter.answered(said)), failed);
    },
  );
}

export function post(posting: Posting, deps: PostDeps): Promise<Reply> {
  return new Promise((resolve, reject) => postThen(posting, deps, { answered: resolve, failed: reject }));
}

/** The answer that its key has; null: it has none. Rejects as `post` does. */
async function saidBefore(posting: Posting, deps: PostDeps): Promise<Reply | null> {
  const { log, config, routes } = deps;
  const account = deps.account();
  const at = placeOf(posting.gateway, posting.access, { account, routes }, config());
  const once = onceOf(posting);
  if (once === null) return null;
  const { is, ...found } = await log.append({ account: account.key, entries: [], once: { ...once, answer: null } });
  if (is === "conflict") throw mismatch();
  return "answer" in found ? await repeated(found.answer, { at, once }, log) : null;
}

/** How the log knows it by its key; null: it has none. */
function onceOf({ gateway, access, once }: Posting): OnceName | null {
  if (once === null) return null;
  return { key: `v1 ${access.token ?? ""} ${once.key}`, fingerprint: `${once.fingerprint} ${gateway}` };
}

const NOTHING_SAID = new ProblemError("unprocessable", "a message has a text or a file", {
  errors: [{ pointer: "/text", detail: "is empty, and there are no files" }],
});

const isId = (id: string | null | undefined): id is string => typeof id === "string";

function say(posting: Posting, found: Found, deps: PostDeps, waiter: OutcomeWaiter<Reply>): void {
  deps.ingest.sayThen(new PostSpeech(posting, found, deps, waiter));
}

/** One object carries a post all the way: of these there are many. */
class PostSpeech implements Speech {
  readonly #posting: Posting;
  readonly #found: Found;
  readonly #deps: PostDeps;
  readonly #waiter: OutcomeWaiter<Reply>;
  #made: Made | null = null;

  constructor(posting: Posting, found: Found, deps: PostDeps, waiter: OutcomeWaiter<Reply>) {
    this.#posting = posting;
    this.#found = found;
    this.#deps = deps;
    this.#waiter = waiter;
  }

  make(scene: SayScene): Said {
    this.#made = make(this.#posting, this.#found, scene, this.#deps);
    return this.#made.said;
  }

  answered(outcome: SayOutcome): void {
    if (this.#made === null) this.failed(new Error("a message was said before it was made"));
    else answered(this.#made, outcome, this.#deps, this.#waiter);
  }

  failed(error: unknown): void {
    this.#waiter.failed(error);
  }
}

async function find({ gateway, fields, access }: Posting, deps: PostDeps): Promise<Found> {
  const account = deps.account();
  const at = placeOf(gateway, access, { account, routes: deps.routes }, deps.config());
  const [reply, thread, files] = await Promise.all([
    referred(fields.reply_to, "/reply_to", at, deps),
    referred(fields.thread, "/thread", at, deps),
    findFiles(fields.files ?? [], access, deps),
  ]);
  return { about: aboutReply(reply, thread), files };
}

/** Throws a ProblemError for a message that nobody knows in this gateway. */
async function referred(
  id: string | null | undefined,
  pointer: string,
  at: PostPlace,
  { account, routes, log }: PostDeps,
): Promise<Known | null> {
  if (!isId(id)) return null;
  const known = await findTarget(id, at, { account: account(), routes, log });
  if (known !== null) return known;
  const detail = "there is no message with this id in this gateway, or it is too old to be known";
  throw new ProblemError("unprocessable", `${pointer.slice(1)}: ${detail}`, { errors: [{ pointer, detail }] });
}

interface Made {
  readonly said: Said;
  readonly at: PostPlace;
  readonly once: OnceName | null;
  /** The message as the answer has it, without its id: JSON behind the first brace. */
  readonly rest: string;
}

function make(posting: Posting, { about, files }: Found, scene: SayScene, deps: PostDeps): Made {
  const { gateway, fields, access } = posting;
  const { account, inbound } = scene;
  const at = placeOf(gateway, access, scene, deps.config());
  const { style = "normal", format = "markdown", hops = 0 } = fields;
  const { userid, username, avatar } = namesOf(fields.author, { userid: "", username: callerName(access, account) });
  const bare: Message = {
    text: fields.text?.toWellFormed() ?? "",
    channel: "api",
    username,
    userid,
    avatar,
    account: account.name,
    event: LABELS[style],
    protocol: account.protocol,
    gateway,
    parent_id: "",
    timestamp: scene.stamp(),
    id: "",
    Extra: extraOf(files),
  };
  const given = hops > 0 ? { ...bare, hops } : bare;
  const verdict = inbound(given);
  const isDropped = verdict.is === "drop";
  const message = isDropped ? given : verdict.message;
  const rest = shownRest(message, fields, { about, files });
  const once = onceOf(posting);
  const batchOnce =
    once === null
      ? null
      : { ...once, answer: isDropped ? `dropped ${verdict.reason}` : `${message.timestamp} ${rest}` };
  if (isDropped) {
    const batch = batchOnce === null ? null : { account: account.key, entries: [], once: batchOnce };
    return { said: { batch, dropped: { message, drop: verdict } }, at, once: batchOnce, rest };
  }
  const text = written(message.text, format, account);
  const refs = batchOnce === null ? [] : [onceRef(batchOnce.key, message.timestamp)];
  const batch = batchOf({ message, text, about, files, refs, at }, fields, scene, deps);
  const whole = batchOnce === null ? batch : { ...batch, once: batchOnce };
  return { said: { batch: whole, dropped: null }, at, once: batchOnce, rest };
}

interface Parts extends Found {
  readonly message: Message;
  readonly text: Written;
  readonly refs: readonly string[];
  readonly at: PostPlace;
}

function batchOf(
  { message: given, text, about, files, refs, at }: Parts,
  fields: NewMessageBody,
  { account }: SayScene,
  { clock }: PostDeps,
): Batch {
  const message = text.text === given.text ? given : { ...given, text: text.text };
  const ids = files.map(({ id }) => id);
  const mentions = mentionsOf(fields.mentions, message);
  const stored = { message, source: text.source, about, files: ids, avatar: null, topic: null };
  const payload = encodeStored(mentions === null ? stored : { ...stored, mentions });
  const note = postedNote(message, account, refs);
  // A notice is for every reader; only its message says that it is one.
  const label = message.event === EventLabel.notice ? "" : message.event;
  const entries = [{ subject: at.subject, key: null, label, payload, note }];
  if (ids.length === 0) return { account: account.key, entries };
  const names = files.map(({ shown }) => shown.name);
  return { account: account.key, entries, marks: shownMarks(ids, names, at.subject, clock.nowMs()) };
}

/** See `Made.rest`. Most of what it says is always the same, so it is not made from an object. */
function shownRest(
  { text, hops = 0 }: Message,
  { format = "markdown", style = "normal" }: NewMessageBody,
  { about, files }: Found,
): string {
  const thread = about?.thread ?? null;
  const reply = about === null || about.seq === thread ? null : about.seq;
  const ids = `"reply_to":${idText(reply)},"thread":${idText(thread)}`;
  const shown = files.length === 0 ? "[]" : JSON.stringify(files.map((file) => file.shown));
  return `"text":${JSON.stringify(text)},"format":"${format}","style":"${style}",${ids},"hops":${hops},"files":${shown}}`;
}

const idText = (seq: Seq | null): string => (seq === null ? "null" : `"${seq}"`);

/** Finds a message again when its post is repeated; the time keeps a key apart that is used again after a day. */
const onceRef = (key: string, timestamp: string): string => `once ${timestamp} ${key}`;

function answered(made: Made, { said, appended }: SayOutcome, { log }: PostDeps, waiter: OutcomeWaiter<Reply>): void {
  if (appended?.is === "conflict") return waiter.failed(mismatch());
  if (appended?.is === "repeated") {
    return void repeated(appended.answer, made, log).then(
      (reply) => waiter.answered(reply),
      (error: unknown) => waiter.failed(error),
    );
  }
  if (said.dropped !== null) return waiter.answered(droppedReply(said.dropped.drop.reason));
  const [seq] = appended?.seqs ?? [];
  if (typeof seq === "number") waiter.answered(taken(seq, made.rest));
  else waiter.failed(new Error("a message was stored without a seq"));
}

function taken(seq: Seq, rest: string, headers: Readonly<Record<string, string>> = NO_HEADERS): Reply {
  const json = `{"message":{"id":"${seq}",${rest},"receipts":"/v1/messages/${seq}/receipts"}`;
  const ETag = etagOfRevision(seq);
  return { status: 201, json, isUncached: true, headers: headers === NO_HEADERS ? { ETag } : { ETag, ...headers } };
}

const NO_HEADERS = {};
const REPLAYED = { "Idempotency-Replayed": "true" } as const;

/** The first answer was stored together with its message, before that had an id. */
async function repeated(first: string, { at, once }: Pick<Made, "at" | "once">, log: PostDeps["log"]): Promise<Reply> {
  const space = first.indexOf(" ");
  const [head, rest] = [first.slice(0, space), first.slice(space + 1)];
  if (head === "dropped") return droppedReply(rest, REPLAYED);
  const known = once === null ? null : await log.ids.find(at.subject, [onceRef(once.key, head)]);
  if (known !== null) return taken(known.seq, rest, REPLAYED);
  throw new ProblemError(
    "conflict",
    "the first message under this Idempotency-Key was taken, but is not known any more",
  );
}
