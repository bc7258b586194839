import { cut, measure } from "../../content/length.ts";
import { renderMattermost } from "../../content/mattermost-render.ts";
import type { TopicOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import { headerOf, outcomeOf } from "./failure.ts";
import type { MattermostLink } from "./link.ts";

/** Characters that the server takes as a header. */
const HEADER_MAX = 1024;
/** What is too long with its escapes is cut to this share of it, until it fits. */
const SHARE = 0.9;

const CUT: Loss = { what: "length", note: `headers have at most ${HEADER_MAX} characters` };

/** A topic as a header, which people see as it is: what means something in Markdown is escaped. */
export function renderHeader(topic: string): { readonly header: string; readonly losses: readonly Loss[] } {
  const sound = topic.toWellFormed().replaceAll("\0", "\ufffd").trim();
  let words = cut(sound, HEADER_MAX, "codepoints");
  let header = escaped(words);
  while (measure(header, "codepoints") > HEADER_MAX) {
    words = cut(words, Math.floor(measure(words, "codepoints") * SHARE), "codepoints");
    header = escaped(words);
  }
  return { header, losses: words === sound ? [] : [CUT] };
}

const escaped = (text: string): string =>
  text === "" ? "" : renderMattermost([{ t: "para", of: [{ t: "text", text }] }]);

/** A header that stands already is set without anybody seeing it. */
export async function setHeader(
  link: MattermostLink,
  { channel, topic }: TopicOp,
  { signal }: Attempt,
): Promise<Outcome> {
  const room = link.room(channel);
  if (room === null) return NOT_THERE;
  if (signal.aborted) return GIVEN_UP;
  const { header, losses } = renderHeader(topic);
  const answer = await link.api.patchHeader(room.id, header, signal);
  if (answer.ok) return { is: "delivered", receipt: { messages: [], losses } };
  return await outcomeOf(answer.failure, { link, channel, doing: headerOf(room.type), signal });
}
