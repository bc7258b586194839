import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { OpReply, PostDraft, PostOp } from "../../contract/ops.ts";
import type { Host } from "../../contract/host.ts";
import type { Loss, Outcome, Reason, ReasonCode } from "../../contract/outcome.ts";
import type { Attempt, ChannelRequest, Ended, Handler, Handlers, Joined, Session } from "../../contract/session.ts";
import { isAborted } from "../../lib/abort.ts";
import { ASKED, quote } from "../kit/ends.ts";
import { Http, type HttpAnswer } from "../kit/http.ts";
import { publicBy } from "../kit/trust.ts";
import { written } from "../kit/json.ts";
import { AGAIN_MS, DONE, deferred, GIVEN_UP, RATE_MS, rejected, retryWithin } from "../kit/outcomes.ts";
import { secondsIn } from "../kit/rest.ts";
import { paraOf } from "../kit/words.ts";
import type { capabilities } from "./capabilities.ts";
import { channelRef } from "./ids.ts";
import { blockIdOf } from "./own-messages.ts";
import { markOf, progressOf, sentBy } from "./progress.ts";
import { renderMessages, type SlackMessagePart, type SlackRenderedFile, writtenAs } from "./render.ts";
import type { SlackSettings } from "./settings.ts";

type SlackHandlers = Handlers<typeof capabilities>;

const ANSWER_MS = 60_000;
/** A person repairs it. */
const PERSON_MS = 60_000;
const PROXY_MS = 10_000;
const WITHOUT = ["edit", "delete", "react", "topic"] as const;

/** Takes part through an incoming webhook alone: what is said elsewhere is posted, and nothing else. */
export async function openWebhook({ settings, host }: OpenArgs<SlackSettings>): Promise<Opened<SlackHandlers>> {
  const http = new Http(host.clock, publicBy(settings.Proxy));
  return await Promise.resolve({ ok: true, session: new WebhookSession(http, settings.WebhookURL, host) });
}

class WebhookSession implements Session<SlackHandlers> {
  readonly as = "a webhook";
  readonly handlers: SlackHandlers;
  readonly ended: Promise<Ended>;
  readonly #http: Http;
  readonly #host: Pick<Host, "degraded">;
  readonly #closing = Promise.withResolvers<Ended>();
  readonly #channels = new Set<string>();

  constructor(http: Http, url: string, host: Pick<Host, "degraded">) {
    this.#http = http;
    this.#host = host;
    this.ended = this.#closing.promise;
    this.handlers = { post: postByWebhook(http, url), edit: cannot, delete: cannot, react: cannot, topic: cannot };
  }

  async join({ name }: ChannelRequest): Promise<Joined> {
    this.#channels.add(name);
    if (this.#channels.size > 1) this.#host.degraded(oneChannel([...this.#channels]), "channels");
    return await Promise.resolve({ ok: true, ref: channelRef(name), without: WITHOUT });
  }

  async quiesce(): Promise<void> {
    await Promise.resolve();
  }

  async close(): Promise<void> {
    this.#http.close();
    this.#closing.resolve(ASKED);
    await this.ended;
  }
}

/** Gateways name channels, and a webhook knows only its own. */
const oneChannel = (names: readonly string[]): Reason => ({
  code: "config",
  message: `one webhook posts to one channel, whatever its name is: what is for ${names.join(", ")} all goes there; make an account with a webhook of its own for each, or set Token and AppToken`,
});

const BY_APP = rejected(
  "unsupported",
  "webhooks can only post; set Token and AppToken for edits, deletions and reactions",
);

const cannot = async (): Promise<Outcome> => await Promise.resolve(BY_APP);

/** The name comes before the text: webhooks of apps can have no other. Nobody learns which messages these are. */
function postByWebhook(http: Http, url: string): Handler<PostOp> {
  return async (op, attempt) => await post(op, attempt, { http, url });
}

interface Webhook {
  readonly http: Http;
  readonly url: string;
}

async function post(op: PostOp, attempt: Attempt, hook: Webhook): Promise<Outcome> {
  const losses: Loss[] = [];
  if (op.resume === END) return DONE;
  if (op.reply !== null) losses.push({ what: "reply", note: "webhooks cannot answer; the answered words are quoted" });
  const files = op.body.files.map((file): SlackRenderedFile => {
    if (file.url === null) losses.push({ what: "file", note: `${file.name}: ${file.missing ?? BY_HOOK}` });
    return { file: { ...file, missing: file.missing ?? BY_HOOK }, goes: "in the text" };
  });
  const draft = op.reply === null ? op : quoting(op, op.reply);
  const named = op.author === null ? "none" : "first";
  const options = { named, exact: false, people: new Map<string, string>(), hasEmoji: () => false, files } as const;
  const rendered = renderMessages(draft, { ...options, sent: sentBy(op.resume) });
  for (const part of rendered.parts) {
    if (isAborted(attempt.signal)) return GIVEN_UP;
    const upTo = part.sent === null ? END : progressOf(part.sent);
    const outcome = await send(op, { ...part, upTo }, attempt.signal, hook);
    if (outcome !== null) return outcome;
    attempt.sent(upTo, []);
  }
  return { is: "delivered", receipt: { messages: [], losses: [...losses, ...rendered.losses] } };
}

const BY_HOOK = "webhooks carry no files";

function quoting(op: PostOp, { name, excerpt }: OpReply): PostDraft {
  const words = [name, excerpt].filter((one) => one !== "").join(": ");
  return { ...op, body: { ...op.body, blocks: [{ t: "quote", of: [paraOf(words)] }, ...op.body.blocks] } };
}

/** Null: it is there. */
async function send(
  op: PostOp,
  { key, blocks, upTo }: Pick<SlackMessagePart, "key" | "blocks"> & { readonly upTo: Progress },
  signal: AbortSignal,
  hook: Webhook,
): Promise<Outcome | null> {
  const body = writtenAs(blocks, blockIdOf({ op: op.id, mark: markOf(key, upTo) }), () => false);
  const answer = await hook.http.request({
    method: "POST",
    url: new URL(hook.url),
    headers: {},
    body: written(body),
    timeoutMs: ANSWER_MS,
    again: false,
    signal,
  });
  return answer.is === "answer" && answer.status === 200 ? null : outcomeOf(answer, upTo);
}

function outcomeOf(answer: HttpAnswer, upTo: Progress): Outcome {
  if (answer.is === "failed") {
    const message = `the webhook cannot be reached: ${answer.message}`;
    if (!answer.certain) return unsure(message, upTo);
    return deferred({ code: "network", message }, AGAIN_MS, "session");
  }
  const { status, headers, text } = answer;
  const error = quote(text);
  const said = `the incoming webhook answers HTTP ${status}${WORD.test(error) ? `: ${error}` : ""}`;
  if (status === 429) {
    const retryInMs = retryWithin(secondsIn(headers["retry-after"]) ?? RATE_MS);
    return deferred({ code: "rate_limited", message: said }, retryInMs, "session");
  }
  // What is before the servers has not taken it; others leave that open.
  if (status === 503) {
    const retryInMs = retryWithin(secondsIn(headers["retry-after"]) ?? RATE_MS);
    return deferred({ code: "network", message: said }, retryInMs, "session");
  }
  if (status >= 500) return unsure(said, upTo);
  // A page of something on the way there. It says nothing about the message but its size.
  if (!WORD.test(error) && status !== 413) return deferred({ code: "network", message: said }, PROXY_MS, "session");
  const known = REMEDIES.get(error);
  if (known === undefined) return rejected("bad_content", said);
  const message = `${said}: ${known.remedy}; Rialto tries again every minute`;
  return deferred({ code: known.code, message }, PERSON_MS, "session");
}

/** As Slack's errors are, and no page of somebody else. */
const WORD = /^[a-z_]{1,60}$/u;

const GONE = { code: "not_found", remedy: "the webhook is no more; make a new one and set WebhookURL" } as const;
const REMEDIES: ReadonlyMap<string, { readonly code: ReasonCode; readonly remedy: string }> = new Map([
  ["action_prohibited", { code: "forbidden", remedy: "the workspace does not allow webhooks to post there" }],
  ["channel_is_archived", { code: "not_found", remedy: "the webhook's channel is archived; unarchive it" }],
  ["channel_not_found", { code: "not_found", remedy: "the webhook's channel is gone; make a new webhook" }],
  ["invalid_token", GONE],
  ["no_active_hooks", GONE],
  ["no_service", GONE],
  ["no_service_id", GONE],
  ["no_team", GONE],
  ["posting_to_general_channel_denied", { code: "forbidden", remedy: "the workspace lets few people post there" }],
]);

/** Messages of webhooks cannot be looked for: what may be there is not sent again. */
function unsure(message: string, upTo: Progress): Outcome {
  const why = `${message}; it may have been posted, and is not sent again: only an app (Token) can find that out`;
  return { is: "unknown", why: { code: "remote_error", message: why }, upTo, final: true };
}
