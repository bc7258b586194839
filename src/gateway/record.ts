import type { Account } from "../config/config.ts";
import type { Source } from "../contract/content.ts";
import type { Event, Member, Posted } from "../contract/events.ts";
import { EventLabel, type Extra, type Message } from "../contract/message.ts";
import { parse } from "../content/formats.ts";
import { plainText } from "../content/plain.ts";
import type { NewEntry } from "../log/log.ts";
import { encodeStored } from "./codec.ts";
import type { DropReason, Inbound } from "./inbound.ts";
import { subjectOf } from "./subject.ts";

/** What becomes of an event of a network: an entry of the log, or nothing and why. */
export type Recorded =
  | { readonly is: "entry"; readonly entry: NewEntry }
  /** `own`: we wrote it ourselves. `unsupported`: edits, deletes and reactions are not relayed. */
  | { readonly is: "drop"; readonly reason: DropReason | "own" | "unsupported" };

/** `channel`: the name in the configuration of the place where it happened; `nowMs`: Unix milliseconds. */
export type Recorder = (event: Event, channel: string, nowMs: number) => Recorded;

/**
 * Compiles the way from events of one account to entries of the log. Filters and transforms act on the text as its network has it;
 * readers of the API get the words of the result, and the entry keeps that text beside them where the words are not all of it.
 */
export function compileRecord(account: Account, inbound: Inbound): Recorder {
  return (event, channel, nowMs) => {
    if (event.echoOf !== null) return { is: "drop", reason: "own" };
    const said = saidBy(event);
    if (said === null) return { is: "drop", reason: "unsupported" };
    const verdict = inbound({
      ...said.fields,
      text: said.source.text,
      channel,
      account: account.name,
      protocol: account.protocol,
      gateway: "",
      timestamp: timestamp(event.atMs, nowMs),
    });
    if (verdict.is === "drop") return verdict;
    const source: Source = { format: said.source.format, text: verdict.message.text };
    const message = { ...verdict.message, text: plainText(parse(source.format, source.text)) };
    // Nothing but formatting is nothing to say.
    if (message.text === "" && message.Extra === null) return { is: "drop", reason: "empty" };
    const payload = encodeStored(message, message.text === source.text ? null : source);
    return {
      is: "entry",
      entry: { subject: subjectOf(account.key, channel), key: event.key, label: message.event, payload },
    };
  };
}

/** What an event says, before the account's settings have acted on it. */
interface Said {
  readonly source: Source;
  readonly fields: Omit<Message, "text" | "channel" | "account" | "protocol" | "gateway" | "timestamp" | "hops">;
}

const NOTHING = { userid: "", avatar: "", parent_id: "", id: "", Extra: null } as const;

/** Who speaks where nobody is named; the name that the reference gives to all such lines. */
const NOBODY = "system";

function saidBy(event: Event): Said | null {
  switch (event.kind) {
    case "posted":
      return post(event);
    case "member":
      return {
        source: { format: "plain", text: event.text },
        fields: { ...NOTHING, ...byline(event.author), event: MEMBER_LABELS[event.change] },
      };
    case "topic":
      return {
        source: { format: "plain", text: event.text },
        fields: { ...NOTHING, ...byline(event.author), event: EventLabel.topic },
      };
    case "edited":
    case "deleted":
    case "reacted":
      return null;
  }
}

const MEMBER_LABELS: { readonly [C in Member["change"]]: string } = {
  join: EventLabel.join,
  leave: EventLabel.leave,
  rename: EventLabel.joinLeave,
};

const STYLE_LABELS: { readonly [S in Posted["body"]["style"]]: string } = {
  normal: "",
  action: EventLabel.action,
  notice: EventLabel.notice,
};

function post({ author, body }: Posted): Said {
  return {
    source: body.source,
    // A network's own ids would mean nothing elsewhere; the reference shows none either.
    fields: { ...NOTHING, ...byline(author), event: STYLE_LABELS[body.style], Extra: extraOf(body.files) },
  };
}

function byline(author: Posted["author"] | null): Pick<Message, "username" | "userid" | "avatar"> {
  if (author === null) return { username: NOBODY, userid: "", avatar: "" };
  return { username: author.name, userid: author.id, avatar: author.avatar ?? "" };
}

function extraOf(files: Posted["body"]["files"]): Extra | null {
  if (files.length === 0) return null;
  return {
    file: files.map(({ name, comment, bytes, url }) => ({
      Name: name,
      Data: "",
      Comment: comment,
      URL: url ?? "",
      Size: bytes ?? 0,
      Avatar: false,
      SHA: "",
      NativeID: "",
    })),
  };
}

/** Networks' clocks are wrong at times: nothing was said in the future, or at a time that no date can show. */
function timestamp(atMs: number, nowMs: number): string {
  return new Date(atMs >= 0 && atMs < nowMs ? atMs : nowMs).toISOString();
}
