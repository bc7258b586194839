import type { Block, Inline } from "../../src/contract/content.ts";
import { type Answered, idIn, type Shown, type Told, WebGuest } from "../web/guest.ts";
import { NAMES, type Place, type Shared, type Sight } from "./place.ts";

/** A guest of the web chat, by plain HTTP; texts are as its page shows them. `invite` is good for several. */
export async function webPlace(base: string, invite: string): Promise<Place> {
  const guest = await enter(base, NAMES.web, invite);
  await guest.watch();
  const post = async (text: string, more: object = {}): Promise<string> =>
    idIn(expectStatus(await guest.sayUntilTaken(text, more), 201), "message");
  const upload = async ({ name, content }: Shared): Promise<string> => {
    const path = `/v1/files?name=${encodeURIComponent(name)}`;
    return idIn(expectStatus(await guest.ask({ method: "POST", path, body: content }), 201), "file");
  };
  const shareAll = async (files: readonly Shared[], words: string): Promise<void> => {
    const ids: string[] = [];
    for (const file of files) ids.push(await upload(file));
    await post(words, { files: ids });
  };
  const at = (message: string): string => `/v1/messages/${message}`;
  return {
    network: "web",
    name: NAMES.web,
    sights: () => guest.events.flatMap((told) => sightsOf(guest, told)),
    say: async (text, style) => await post(style === "action" ? `/me ${text}` : text),
    reply: async (text, to) => void (await post(text, { reply_to: to })),
    thread: null,
    edit: async (message, text) =>
      void expectStatus(await guest.ask({ method: "PATCH", path: at(message), body: { text } }), 200),
    erase: async (message) => void expectStatus(await guest.ask({ method: "DELETE", path: at(message) }), 204),
    react: async (message, emoji, on) => {
      const path = `${at(message)}/reactions/${encodeURIComponent(emoji)}`;
      expectStatus(await guest.ask({ method: on ? "PUT" : "DELETE", path }), 204);
    },
    share: async (file) => await shareAll([file], ""),
    caption: async (file, words) => await shareAll([file], words),
    shareAll,
    setTopic: null,
    visit: async (visitor) => {
      const other = await enter(base, visitor, invite);
      expectStatus(await other.ask({ method: "POST", path: "/v1/leave" }), 204);
    },
    quit: async () => await Promise.resolve(guest.unwatch()),
  };
}

async function enter(base: string, name: string, invite: string): Promise<WebGuest> {
  const guest = new WebGuest(base, name);
  expectStatus(await guest.join(invite), 201);
  return guest;
}

function expectStatus(answered: Answered, wanted: number): Answered {
  if (answered.status === wanted) return answered;
  throw new Error(`answered ${answered.status} instead of ${wanted}: ${answered.bytes.toString()}`);
}

const NOTHING: Sight = { kind: "normal", text: "", ids: [], target: null, alerts: false, file: null };

/** What others did. */
function sightsOf(guest: WebGuest, told: Told): readonly Sight[] {
  const target = String(told["id"]);
  switch (told.type) {
    case "message.posted":
      return posted(guest, told["message"] as Shown);
    case "message.edited": {
      const message = told["message"] as Shown;
      const edit: Sight = { ...NOTHING, kind: "edit", text: shown(message), target: message.id };
      return message.author.mine ? [] : [edit];
    }
    case "message.deleted":
      return [{ ...NOTHING, kind: "delete", target }];
    case "reaction.added":
    case "reaction.removed": {
      const kind = told.type === "reaction.added" ? "reaction" : "unreaction";
      const { mine } = told["author"] as Shown["author"];
      return mine ? [] : [{ ...NOTHING, kind, text: String(told["emoji"]), target }];
    }
    default:
      return [];
  }
}

/** Each file is seen by itself. */
function posted(guest: WebGuest, message: Shown): readonly Sight[] {
  const { id, author, style, reply_to: to, files } = message;
  if (author.mine) return [];
  const said: Sight = { ...NOTHING, kind: style, text: shown(message), ids: [id], target: to?.id ?? null };
  if (files.length === 0) return [said];
  return files.map((file, at) => {
    const fetch = async (): Promise<Uint8Array> =>
      expectStatus(await guest.ask({ path: `/v1/files/${file.id}` }), 200).bytes;
    const words = [at === 0 ? said.text : "", file.caption, file.missing].filter((one) => one !== "");
    const text = words.join("\n");
    return Object.assign({}, said, { text, file: file.id === "" ? null : { name: file.name, fetch } });
  });
}

/** As the page shows it, as HTML. */
const shown = ({ blocks }: Shown): string => (blocks as readonly Block[]).map(blockOf).join("\n");

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function blockOf(block: Block): string {
  switch (block.t) {
    case "para":
      return block.of.map(inlineOf).join("");
    case "heading":
      return `<b>${block.of.map(inlineOf).join("")}</b>`;
    case "pre":
      return `<pre><code>${escaped(block.text)}</code></pre>`;
    case "quote":
      return `<blockquote>${block.of.map(blockOf).join("\n")}</blockquote>`;
    case "list": {
      const list = block.ordered ? "ol" : "ul";
      return `<${list}>${block.items.map((item) => `<li>${item.map(blockOf).join("\n")}</li>`).join("")}</${list}>`;
    }
  }
}

const TAGS = { bold: "b", italic: "i", underline: "u", strike: "s", spoiler: "spoiler" } as const;

function inlineOf(inline: Inline): string {
  switch (inline.t) {
    case "text":
    case "mention":
    case "emoji":
      return escaped(inline.text);
    case "code":
      return `<code>${escaped(inline.text)}</code>`;
    // It is not shown.
    case "colour":
      return inline.of.map(inlineOf).join("");
    case "link":
      return `<a href="${escaped(inline.href)}">${inline.of.map(inlineOf).join("")}</a>`;
    case "bold":
    case "italic":
    case "underline":
    case "strike":
    case "spoiler": {
      const tag = TAGS[inline.t];
      return `<${tag}>${inline.of.map(inlineOf).join("")}</${tag}>`;
    }
  }
}
