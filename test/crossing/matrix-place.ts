import { isAlert, type RawEvent } from "../servers/people/nio-heard.ts";
import type { NioPeople, NioPerson } from "../servers/people/nio.ts";
import { NAMES, type Place, type Shared, type Sight, type Style } from "./place.ts";

const TYPES: Readonly<Record<Style, string>> = { normal: "m.text", action: "m.emote", notice: "m.notice" };

/** Somebody with a client on matrix-nio, who makes the room. What is said is HTML. */
export async function matrixPlace(
  people: NioPeople,
  alias: string,
): Promise<{ readonly place: Place; readonly room: string }> {
  const name = NAMES.matrix;
  const client = await people.person(name);
  const room = String(await client.ask("create", { alias }));
  const send = async (content: RawEvent, type = "m.room.message"): Promise<string> =>
    String(await client.ask("send", { room, type, content }));
  const reactions = new Map<string, string>();
  const share = async ({ name: file, mime, content }: Shared, words: string, more: RawEvent = {}): Promise<void> => {
    const url = await client.ask("upload", { content: Buffer.from(content).toString("hex"), mime, file });
    const msgtype = mime.startsWith("image/") ? "m.image" : "m.file";
    const info = { mimetype: mime, size: content.length };
    await send({ msgtype, body: words === "" ? file : words, filename: file, url, info, ...more });
  };
  const place: Place = {
    network: "matrix",
    name,
    sights: () => sightsOf(client, room),
    say: async (html, style) => await send(textOf(html, TYPES[style])),
    reply: async (html, to) =>
      void (await send({ ...textOf(html), "m.relates_to": { "m.in_reply_to": { event_id: to } } })),
    thread: async (html, first) => {
      const relation = {
        rel_type: "m.thread",
        event_id: first,
        is_falling_back: true,
        "m.in_reply_to": { event_id: first },
      };
      await send({ ...textOf(html), "m.relates_to": relation });
    },
    edit: async (message, html) => {
      const fresh = textOf(html);
      const relation = { rel_type: "m.replace", event_id: message };
      await send({
        msgtype: "m.text",
        body: `* ${String(fresh["body"])}`,
        "m.new_content": fresh,
        "m.relates_to": relation,
      });
    },
    erase: async (message) => void (await client.ask("redact", { room, event: message })),
    react: async (message, emoji, on) => {
      const key = `${message} ${emoji}`;
      const relation = { rel_type: "m.annotation", event_id: message, key: emoji };
      if (on) reactions.set(key, await send({ "m.relates_to": relation }, "m.reaction"));
      else await client.ask("redact", { room, event: reactions.get(key) });
    },
    share: async (file) => await share(file, ""),
    caption: share,
    hide: async (file) => await share(file, "", { "page.codeberg.everypizza.msc4193.spoiler": true }),
    shareAll: null,
    setTopic: async (topic) => void (await client.ask("state", { room, type: "m.room.topic", content: { topic } })),
    visit: async (visitor) => {
      const other = await people.person(visitor);
      await other.ask("join", { room });
      await other.ask("leave", { room });
      await people.quit(other.id);
    },
    quit: async () => await people.quit(client.id),
  };
  return { place, room };
}

/** HTML, and beside it what is left without its tags. */
function textOf(html: string, msgtype = "m.text"): RawEvent {
  const words = html
    .replaceAll("<br>", "\n")
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  return { msgtype, body: words, ...(words !== html && { format: "org.matrix.custom.html", formatted_body: html }) };
}

function sightsOf(client: NioPerson, room: string): readonly Sight[] {
  const annotations = new Map<string, { readonly target: string; readonly emoji: string }>();
  const sights: Sight[] = [];
  for (const seen of client.seen) {
    const { event } = seen;
    if (seen.room !== room || event["sender"] === client.id) continue;
    const content = object(event["content"]);
    const relation = object(content["m.relates_to"]);
    const id = String(event["event_id"]);
    const bare: Sight = {
      kind: "normal",
      text: "",
      ids: [id],
      target: null,
      alerts: isAlert(event, client.id),
      file: null,
    };
    if (event["type"] === "m.reaction") {
      const [target, emoji] = [String(relation["event_id"]), String(relation["key"])];
      annotations.set(id, { target, emoji });
      sights.push({ ...bare, kind: "reaction", text: emoji, target });
    } else if (event["type"] === "m.room.redaction") {
      const gone = String(event["redacts"] ?? content["redacts"]);
      const annotation = annotations.get(gone);
      if (annotation === undefined) sights.push({ ...bare, kind: "delete", target: gone });
      else sights.push({ ...bare, kind: "unreaction", text: annotation.emoji, target: annotation.target });
    } else if (event["type"] === "m.room.topic")
      sights.push({ ...bare, kind: "topic", text: String(content["topic"]) });
    else if (event["type"] === "m.room.message") sights.push(message(client, bare, content));
  }
  return sights;
}

function message(client: NioPerson, bare: Sight, content: RawEvent): Sight {
  const relation = object(content["m.relates_to"]);
  if (relation["rel_type"] === "m.replace") {
    return {
      ...bare,
      kind: "edit",
      text: writing(object(content["m.new_content"])),
      target: String(relation["event_id"]),
    };
  }
  const answered = object(relation["m.in_reply_to"])["event_id"];
  const { url } = content;
  const fetch = async (): Promise<Uint8Array> => Buffer.from(String(await client.ask("download", { mxc: url })), "hex");
  return {
    ...bare,
    kind: content["msgtype"] === "m.emote" ? "action" : content["msgtype"] === "m.notice" ? "notice" : "normal",
    text: writing(content),
    target: typeof answered === "string" ? answered : null,
    thread: relation["rel_type"] === "m.thread" ? String(relation["event_id"]) : null,
    file: typeof url === "string" ? { name: String(content["filename"] ?? content["body"]), fetch } : null,
  };
}

/** Always as HTML. */
function writing({ formatted_body: html, body: text }: RawEvent): string {
  if (typeof html === "string") return html;
  if (typeof text !== "string") return "";
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>");
}

function object(value: unknown): RawEvent {
  return typeof value === "object" && value !== null ? (value as RawEvent) : {};
}
