import type { Answer } from "../site/answer.ts";
import type { Asked } from "../site/site.ts";
import { readAttachments, readBlocks } from "./blocks.ts";
import type { Limits } from "./limits.ts";
import type { Messages } from "./messages.ts";
import { isRecord, no, Refusal, textOf } from "./wire.ts";
import type { World } from "./world.ts";

/** Errors of incoming webhooks that are not told with 400. */
const STATUS: Readonly<Record<string, number>> = {
  no_service: 404,
  no_team: 404,
  channel_not_found: 404,
  action_prohibited: 403,
  channel_is_archived: 410,
};

/** A post to an incoming webhook, which is answered by `ok` and no more: who posts never learns what became of it. */
export function incoming(world: World, messages: Messages, limits: Limits, asked: Asked): Answer {
  const text = { "content-type": "text/html" };
  try {
    const hook = world.hooks.get(asked.url.pathname);
    if (hook === undefined || hook.isGone) throw no("no_service");
    const wait = limits.take("hook", hook.path, hook.channel);
    if (wait !== null) return { status: 429, headers: { ...text, "retry-after": String(wait) }, bytes: "rate_limited" };
    const channel = world.channels.get(hook.channel);
    if (channel === undefined) throw no("channel_not_found");
    if (channel.isArchived) throw no("channel_is_archived");
    const payload = payloadOf(asked);
    const blocks = readBlocks(payload["blocks"]);
    const attachments = readAttachments(payload["attachments"]);
    const said = textOf(payload["text"]);
    if (said.trim() === "" && blocks === undefined && attachments === undefined) throw no("no_text");
    const thread = payload["thread_ts"] === undefined ? undefined : textOf(payload["thread_ts"]);
    // Who posts cannot choose a name or a picture: those of the app are shown.
    const more = { ...messages.signed(hook.app), subtype: "bot_message" };
    messages.post(channel, { text: said, blocks, attachments, thread, more });
    return { bytes: "ok", headers: text };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: STATUS[error.message] ?? 400, headers: text, bytes: error.message };
  }
}

/** JSON as it is, or in the field `payload` of a form. */
function payloadOf({ headers, raw }: Asked): Record<string, unknown> {
  const isForm = (headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded");
  const text = raw.toString("utf8");
  const json = isForm ? (new URLSearchParams(text).get("payload") ?? "") : text;
  try {
    const value = JSON.parse(json) as unknown;
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw no("invalid_payload");
}
