import type { Account } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { SharedFile, Style } from "../contract/content.ts";
import { EventLabel, type FileItem } from "../contract/message.ts";
import type { PostDraft } from "../contract/ops.ts";
import { parse } from "../content/formats.ts";
import { decodeStored } from "./codec.ts";
import { compileView } from "./view.ts";

/** What becomes of the log's entries on their way to one destination account. Pure: the same entry always gives the same draft. */
export interface Plan {
  /** Whether an event with this label goes to the destination at all. */
  readonly admits: (label: string) => boolean;
  /** A stored payload as the destination is to post it in one gateway. */
  readonly post: (payload: string, gateway: string) => PostDraft;
  /** The one line that stands for messages that waited too long. */
  readonly expired: (gap: Gap) => PostDraft;
}

/** `count` messages that were said between these two moments, in Unix milliseconds. */
interface Gap {
  readonly count: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Compiles the plan of one destination; `accounts` are all accounts by key, as for `compileView`. */
export function compilePlan(
  destination: Account,
  accounts: ReadonlyMap<string, Account>,
  capabilities: Capabilities,
): Plan {
  const view = compileView(destination, accounts);
  const takesNotices = capabilities.notice !== "none";
  return {
    admits: (label) => (label === EventLabel.notice ? takesNotices : view.admits(label)),
    post: (payload, gateway) => {
      const { message, source } = decodeStored(payload);
      const shown = view.show(message, gateway);
      const { format, text } = source ?? { format: "plain", text: message.text };
      return {
        author: {
          id: message.userid,
          name: message.username,
          shown: shown.username,
          avatar: shown.avatar === "" ? null : shown.avatar,
        },
        body: {
          style: STYLES.get(message.event) ?? "normal",
          source: { format, text },
          blocks: parse(format, text),
          files: (message.Extra?.file ?? []).map(sharedFile),
        },
      };
    },
    expired: (gap) => {
      const text = expiredText(gap);
      const source = { format: "plain", text };
      return { author: null, body: { style: "normal", source, blocks: parse("plain", text), files: [] } };
    },
  };
}

const STYLES: ReadonlyMap<string, Style> = new Map([
  [EventLabel.action, "action"],
  [EventLabel.notice, "notice"],
]);

function sharedFile({ Name, Comment, Size, Data, URL }: FileItem): SharedFile {
  return { name: Name, comment: Comment, bytes: Size > 0 ? Size : sizeOf(Data), url: URL === "" ? null : URL };
}

/** Bytes that standard base64 (RFC 4648 §4) stands for; null for no data at all. */
function sizeOf(base64: string): number | null {
  if (base64 === "") return null;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

function expiredText({ count, fromMs, toMs }: Gap): string {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const sameDay = from.slice(0, 10) === to.slice(0, 10);
  const show = (moment: string): string => moment.slice(sameDay ? 11 : 0, 16).replace("T", " ");
  const when = show(from) === show(to) ? `from ${show(from)} UTC` : `from ${show(from)} to ${show(to)} UTC`;
  const [messages, are] = count === 1 ? ["message", "is"] : ["messages", "are"];
  return `${count} ${messages} ${when} waited too long and ${are} left out.`;
}
