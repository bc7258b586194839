import { type Extension, type SeenMessage, SlixmppPerson } from "../servers/people/slixmpp.ts";
import type { XmppServer } from "../servers/xmpp/server.ts";
import { NAMES, type Place, type Shared, type Sight } from "./place.ts";

const PASSWORD = "open-sesame";

async function enter(server: XmppServer, nick: string, room: string): Promise<SlixmppPerson> {
  await server.register(nick, PASSWORD);
  const person = await SlixmppPerson.connect({ port: server.port, jid: `${nick}@localhost`, password: PASSWORD, nick });
  await person.join(room);
  return person;
}

/** Somebody with a client on slixmpp. A message is named by the room's id for it. */
export async function xmppPlace(server: XmppServer, room: string): Promise<Place> {
  const name = NAMES.xmpp;
  const client = await enter(server, name, room);
  /** The ids that we gave, by those of the room. */
  const own = new Map<string, string>();
  const tell = async (body: string | null, extensions: readonly Extension[] = []): Promise<string> => {
    const id = client.say(room, body, extensions);
    const { sid } = await client.shown(room, id);
    own.set(sid ?? id, id);
    return sid ?? id;
  };
  const ownId = (message: string): string => own.get(message) ?? message;
  const authors = (message: string): string => client.messages(room).find(({ sid }) => sid === message)?.nick ?? name;
  const share = async ({ name: file, mime, content }: Shared, more: readonly Extension[] = []): Promise<void> => {
    const fields = { name: file, mime, content: Buffer.from(content).toString("base64"), service: "upload.localhost" };
    const url = String(await client.ask("upload", fields));
    await tell(url, [["jabber:x:oob", "x", {}, [["jabber:x:oob", "url", {}, url]]], ...more]);
  };
  return {
    network: "xmpp",
    name,
    sights: () =>
      client.messages(room).flatMap((message) => (message.nick === name || message.late ? [] : [sightOf(message)])),
    say: async (text, style) => await tell(style === "action" ? `/me ${text}` : text),
    reply: async (text, to) =>
      void (await tell(text, [["urn:xmpp:reply:0", "reply", { to: `${room}/${authors(to)}`, id: to }, []]])),
    thread: null,
    edit: async (message, text) => {
      await tell(text, [["urn:xmpp:message-correct:0", "replace", { id: ownId(message) }, []]]);
    },
    erase: async (message) => {
      await tell("(taken back)", [
        ["urn:xmpp:message-retract:1", "retract", { id: message }, []],
        ["urn:xmpp:fallback:0", "fallback", { for: "urn:xmpp:message-retract:1" }, []],
      ]);
    },
    react: async (message, emoji, on) => {
      const namespace = "urn:xmpp:reactions:0";
      await tell(null, [[namespace, "reactions", { id: message }, on ? [[namespace, "reaction", {}, emoji]] : []]]);
    },
    share: async (file) => await share(file),
    hide: async (file) => await share(file, [["urn:xmpp:spoiler:0", "spoiler", {}, []]]),
    caption: null,
    shareAll: null,
    setTopic: async (topic) => {
      client.setSubject(room, topic);
      await client.until(
        (seen) => seen.some((one) => one.kind === "message" && one.subject === topic),
        "to see the topic",
      );
    },
    visit: async (visitor) => {
      const other = await enter(server, visitor, room);
      other.leave(room, "");
      const left = `${visitor} to leave`;
      await client.until(
        (seen) => seen.some((one) => one.kind === "presence" && one.nick === visitor && !one.here),
        left,
      );
      await other.quit();
    },
    quit: async () => await client.quit(),
  };
}

function sightOf({
  id,
  sid,
  body,
  subject,
  replaces,
  reply,
  quote,
  retracts,
  reacts,
  emojis,
  oob,
}: SeenMessage): Sight {
  const characters = Array.from(body ?? "");
  if (reply !== null && quote !== null) characters.splice(Number(quote[0]), Number(quote[1]) - Number(quote[0]));
  const words = characters.join("");
  const isAction = words.startsWith("/me ");
  const kind =
    reacts !== null
      ? emojis.length > 0
        ? "reaction"
        : "unreaction"
      : retracts !== null
        ? "delete"
        : replaces !== null
          ? "edit"
          : null;
  return {
    kind: kind ?? (subject !== null && body === null ? "topic" : isAction ? "action" : "normal"),
    text: reacts === null ? (subject ?? words.replace(/^\/me /u, "")) : emojis.join(" "),
    ids: [sid, id].filter((one) => one !== null),
    target: reacts ?? retracts ?? replaces ?? reply,
    alerts: false,
    file:
      oob === null
        ? null
        : { name: decodeURIComponent(oob.replace(/^.*\//u, "")), fetch: async () => await download(oob) },
  };
}

export async function download(url: string): Promise<Uint8Array> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}
