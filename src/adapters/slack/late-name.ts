import type { MessageRef } from "../../contract/ids.ts";
import type { PostOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { cut } from "../../content/length.ts";
import { SLACK_TEXT_MAX } from "../../content/slack-render.ts";
import { isObject, type Json, listIn, textIn } from "../kit/json.ts";
import { AGAIN_MS, deferred } from "../kit/outcomes.ts";
import { outcomeOf, readingFailed } from "./failure.ts";
import type { SlackLink } from "./link.ts";
import type { SlackMessage } from "./model.ts";
import { lacksName, metadataOf } from "./own-messages.ts";
import { spoken, writtenAs } from "./render.ts";

/**
 * A message stands there without the name that it was given: the name is put before its words, however those were cut.
 * Null: it is there. Rejected: it cannot be.
 */
export async function nameLate(
  { author, body, channel }: Pick<PostOp, "author" | "body" | "channel">,
  ref: MessageRef,
  link: SlackLink,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const { api, own } = link;
  const failing = { link, channel, doing: "edit the message" } as const;
  const read = await api.message(channel, ref, signal);
  if (!read.ok) return readingFailed(read.failure, failing);
  const message = read.value;
  const part = message === null ? null : own.note(channel, message);
  // Somebody has deleted it, or an earlier try whose answer was lost has done it.
  if (message === null || part === null || !lacksName(message)) return null;
  const name = writtenAs(
    spoken({ author, body: { ...body, style: "normal" } }, [{ t: "para", of: [] }], false),
    "",
    () => false,
  );
  const metadata = metadataOf(part);
  const change = { channel, ts: message.ts, ...behindName(message, name), metadata, fileIds: [] };
  const changed = await api.update(change, signal);
  if (changed.ok) {
    own.note(channel, { ...message, metadata });
    return null;
  }
  const outcome = outcomeOf(changed.failure, failing);
  // The next try sees whether it was done.
  return outcome.is === "unknown" ? deferred(outcome.why, AGAIN_MS, "channel") : outcome;
}

/** What a message says, as the server has it, behind a name. */
function behindName(
  { text, blocks: [first, ...rest] }: Pick<SlackMessage, "text" | "blocks">,
  name: ReturnType<typeof writtenAs>,
): { readonly text: string; readonly blocks: readonly Json[] } {
  const own = listIn(name.blocks[0] ?? {}, "elements").filter(isObject);
  const [section, ...more] = listIn(first ?? {}, "elements").filter(isObject);
  const isLine = section !== undefined && textIn(section, "type") === "rich_text_section";
  const words = isLine
    ? { ...section, elements: [...own.flatMap((part) => listIn(part, "elements")), ...listIn(section, "elements")] }
    : section;
  const elements = [...(isLine ? [] : own), ...(words === undefined ? [] : [words]), ...more];
  // It is what notifications show; more than this is refused.
  const shown = cut(name.text + text, SLACK_TEXT_MAX, "codepoints");
  return { text: shown, blocks: first === undefined ? name.blocks : [{ ...first, elements }, ...rest] };
}
