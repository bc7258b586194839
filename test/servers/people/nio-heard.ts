import type { Heard } from "../../contract/fixture.ts";
import type { Seen } from "./nio.ts";

export type RawEvent = Readonly<Record<string, unknown>>;

interface Line {
  readonly id: string;
  readonly sender: string;
  readonly by: string;
  content: RawEvent;
  readonly relation: RawEvent;
  readonly reactions: Map<string, string>;
}

const STYLES: Readonly<Record<string, Heard["style"]>> = { "m.emote": "action", "m.notice": "notice" };

/** The messages of others as they stand after all edits, redactions and reactions, oldest first. */
export function heardIn(events: readonly Seen[], user: string): readonly Heard[] {
  const lines = new Map<string, Line>();
  for (const { by, event } of events) take(lines, by, event);
  return [...lines.values()].filter(({ sender }) => sender !== user).map((line) => heard(line, lines));
}

function take(lines: Map<string, Line>, by: string, event: RawEvent): void {
  const content = object(event["content"]);
  const relation = object(content["m.relates_to"]);
  const [id, sender] = [String(event["event_id"]), String(event["sender"])];
  const target = lines.get(String(relation["event_id"]));
  if (event["type"] === "m.reaction") target?.reactions.set(id, String(relation["key"]));
  if (event["type"] === "m.room.redaction") {
    const gone = String(event["redacts"] ?? content["redacts"]);
    lines.delete(gone);
    for (const { reactions } of lines.values()) reactions.delete(gone);
  }
  if (event["type"] !== "m.room.message" || typeof content["body"] !== "string") return;
  if (relation["rel_type"] !== "m.replace") lines.set(id, { id, sender, by, content, relation, reactions: new Map() });
  else if (target?.sender === sender) target.content = object(content["m.new_content"]);
}

function heard({ id, by, content, relation, reactions }: Line, lines: ReadonlyMap<string, Line>): Heard {
  const answered = object(relation["m.in_reply_to"])["event_id"];
  const isThread = relation["rel_type"] === "m.thread";
  const isReply = typeof answered === "string" && relation["is_falling_back"] !== true && lines.has(answered);
  const isFile = typeof content["url"] === "string";
  const name = String(content["filename"] ?? content["body"]);
  return {
    by,
    text: isFile && content["body"] === name ? "" : String(content["body"]),
    style: STYLES[String(content["msgtype"])] ?? "normal",
    handle: id,
    reactions: [...new Set(reactions.values())],
    ...(isReply && { reply: answered }),
    ...(isThread && { thread: String(relation["event_id"]) }),
    ...(isFile && { file: name }),
  };
}

/**
 * Whether push rules of the specification would alert this user: by "m.mentions" alone (".m.rule.is_user_mention",
 * ".m.rule.is_room_mention").
 */
export function isAlert(event: RawEvent, user: string): boolean {
  const mentions = object(object(event["content"])["m.mentions"]);
  const users = mentions["user_ids"];
  return (Array.isArray(users) && users.includes(user)) || mentions["room"] === true;
}

function object(value: unknown): RawEvent {
  return typeof value === "object" && value !== null ? (value as RawEvent) : {};
}
