import type { Progress } from "../../contract/ids.ts";
import type { MayPing, OpReply, PostDraft, PostOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt, Handler } from "../../contract/session.ts";
import { APART } from "../../content/mattermost-protect.ts";
import { isAborted } from "../../lib/abort.ts";
import type { Http, HttpAnswer } from "../kit/http.ts";
import { AGAIN_MS, GIVEN_UP, RATE_MS, retryWithin } from "../kit/outcomes.ts";
import { secondsIn } from "../kit/rest.ts";
import { paraOf } from "../kit/words.ts";
import { authorName, iconOf } from "./identity.ts";
import { propsOf } from "./own-posts.ts";
import { partsAfter, type PostPart, renderPost } from "./render.ts";

interface WebhookOut {
  readonly http: Http;
  /** Of the incoming webhook; empty: there is none. */
  readonly url: string;
  /** The name comes before the text, and is not that of the post. */
  readonly prefix: boolean;
}

/** What servers take as they are installed; what is more they cut themselves. */
const TEXT_MAX = 16_383;
const ANSWER_MS = 60_000;
/** A server that is restarted. */
const AWAY_MS = 5_000;

/** Posts through an incoming webhook: names and pictures, files as links. Nobody learns the ids of these posts. */
export function postByWebhook(options: WebhookOut): Handler<PostOp> {
  if (!URL.canParse(options.url)) {
    const message = "nothing can be posted without WebhookURL, or a user (Token)";
    return async () => await Promise.resolve({ is: "rejected", why: { code: "unsupported", message } });
  }
  return async (op, attempt) => await post(op, attempt, options);
}

async function post(op: PostOp, attempt: Attempt, options: WebhookOut): Promise<Outcome> {
  const { prefix } = options;
  const losses: Loss[] = [];
  if (op.reply !== null) losses.push({ what: "reply", note: "webhooks cannot answer; the answered words are quoted" });
  const files = op.body.files.map((file) => ({ file: { ...file, missing: file.missing ?? BY_HOOK }, id: null }));
  for (const { file } of files)
    if (file.url === null) losses.push({ what: "file", note: `${file.name}: ${file.missing}` });
  const draft = op.reply === null ? op : quoting(op, op.reply);
  const rendered = renderPost(draft, { textMax: TEXT_MAX, prefix, names: new Set(), files });
  for (const part of partsAfter(rendered.parts, op.resume)) {
    if (isAborted(attempt.signal)) return GIVEN_UP;
    const outcome = await send(op, part, attempt.signal, options);
    if (outcome !== null) return outcome;
    attempt.sent(part.end, []);
  }
  return { is: "delivered", receipt: { messages: [], losses: [...losses, ...rendered.losses] } };
}

const BY_HOOK = "webhooks carry no files";

function quoting({ author, body, thread, mayPing }: PostOp, { name, excerpt }: OpReply): PostDraft {
  const words = [name, excerpt].filter((one) => one !== "").join(": ");
  const blocks = [{ t: "quote", of: [paraOf(words)] } as const, ...body.blocks];
  return { author, thread, mayPing, reply: null, body: { ...body, source: { format: "plain", text: "" }, blocks } };
}

/** Null: it is there. */
async function send(op: PostOp, part: PostPart, signal: AbortSignal, options: WebhookOut): Promise<Outcome | null> {
  const { http, url, prefix } = options;
  const { author, channel } = op;
  const name = author === null || prefix ? "" : authorName(author);
  const icon = author === null || prefix ? null : iconOf(author);
  const body = {
    text: withoutCalls(part.message, op.mayPing),
    ...(!channel.startsWith("ID:") && { channel }),
    ...(name !== "" && { username: name }),
    ...(icon !== null && { icon_url: icon }),
    props: propsOf({ op: op.id, upTo: part.end }),
  };
  const answer = await http.request({
    method: "POST",
    url: new URL(url),
    headers: {},
    body: JSON.stringify(body),
    timeoutMs: ANSWER_MS,
    again: false,
    signal,
  });
  return answer.is === "answer" && answer.status === 200 ? null : outcomeOf(answer, part.end);
}

/** Of webhooks servers also take Slack's way to call everybody: `<!here>`. */
function withoutCalls(text: string, { everyone }: MayPing): string {
  return everyone ? text : text.replaceAll("<!", `<${APART}!`);
}

function outcomeOf(answer: HttpAnswer, upTo: Progress): Outcome {
  if (answer.is === "failed") {
    const message = `the webhook cannot be reached: ${answer.message}`;
    if (!answer.certain) return unsure(message, upTo);
    return { is: "deferred", why: { code: "network", message }, retryInMs: AGAIN_MS, scope: "session" };
  }
  const { status, headers } = answer;
  const said = `the incoming webhook answers HTTP ${status}`;
  if (status === 429) {
    const retryInMs = retryWithin(secondsIn(headers["retry-after"]) ?? RATE_MS);
    return { is: "deferred", why: { code: "rate_limited", message: said }, retryInMs, scope: "session" };
  }
  // What is before the server, or the server itself, has not taken it; 502 and 504 leave that open.
  if (status === 503) {
    const retryInMs = retryWithin(secondsIn(headers["retry-after"]) ?? AWAY_MS);
    return { is: "deferred", why: { code: "network", message: said }, retryInMs, scope: "session" };
  }
  if (status >= 500) return unsure(said, upTo);
  const remedy =
    status === 404
      ? "it has no such channel; write its name as in its address"
      : "check WebhookURL, whether the webhook is locked to another channel, and whether its creator is in this one";
  const code = status === 404 ? "not_found" : status === 403 ? "forbidden" : "bad_content";
  return { is: "rejected", why: { code, message: `${said}: ${remedy}` } };
}

/** Posts of webhooks cannot be looked for: what may be there is not sent again. */
function unsure(message: string, upTo: Progress): Outcome {
  const why = `${message}; it may have been posted, and is not sent again: only a user (Token) can find that out`;
  return { is: "unknown", why: { code: "remote_error", message: why }, upTo, final: true };
}
