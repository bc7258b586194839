import type { RealNetwork, Place } from "../crossing/place.ts";
import type { NioPeople } from "../servers/people/nio.ts";
import { type Extension, SlixmppPerson } from "../servers/people/slixmpp.ts";
import type { XmppServer } from "../servers/xmpp/server.ts";
import type { ApiClient } from "../support/client.ts";
import { GATEWAY, PASSWORD, ROOM } from "./harness.ts";

/** Somebody who shares files, and says what each message is called on the own network. */
export interface Filer extends Pick<Place, "edit" | "reply" | "erase"> {
  readonly network: RealNetwork;
  /** A message with a file that is called by the word; resolves to its name. */
  readonly share: (word: string) => Promise<string>;
}

const content = (word: string): Buffer => Buffer.from(`the file ${word}\n`);

/** `client`: the one of the life that lasts. */
export function apiFiler(client: () => ApiClient): Filer {
  const post = async (fields: Readonly<Record<string, unknown>>): Promise<string> =>
    (await client().say({ gateway: GATEWAY, username: "fay", userid: "fay", ...fields })).id;
  const file = (Name: string, word: string) => ({ Name, Data: content(word).toString("base64") });
  return {
    network: "api",
    share: async (word) =>
      await post({ text: `two: ${word}`, Extra: { file: [file(`${word}.txt`, word), file(`${word}.csv`, word)] } }),
    edit: null,
    reply: async (text, to) => void (await post({ text, parent_id: to })),
    erase: async (id) => void (await post({ id, event: "msg_delete" })),
  };
}

export async function matrixFiler(nio: NioPeople, room: string): Promise<Filer> {
  const client = await nio.person("mila");
  await client.ask("join", { room });
  const send = async (fields: Readonly<Record<string, unknown>>): Promise<string> =>
    String(await client.ask("send", { room, type: "m.room.message", content: fields }));
  return {
    network: "matrix",
    share: async (word) => {
      const bytes = content(word);
      const url = await client.ask("upload", {
        content: bytes.toString("hex"),
        mime: "text/plain",
        file: `${word}.txt`,
      });
      const info = { mimetype: "text/plain", size: bytes.length };
      return await send({ msgtype: "m.file", body: `caption: ${word}`, filename: `${word}.txt`, url, info });
    },
    edit: null,
    reply: async (body, to) =>
      void (await send({ msgtype: "m.text", body, "m.relates_to": { "m.in_reply_to": { event_id: to } } })),
    erase: async (event) => void (await client.ask("redact", { room, event })),
  };
}

/** Somebody else in the room of an XMPP server. */
export async function xmppPerson(server: XmppServer, nick: string): Promise<SlixmppPerson> {
  await server.register(nick, PASSWORD);
  const person = await SlixmppPerson.connect({ port: server.port, jid: `${nick}@localhost`, password: PASSWORD, nick });
  await person.join(ROOM);
  return person;
}

export function xmppFiler(person: SlixmppPerson): Filer {
  const tell = async (body: string, extensions: readonly Extension[]): Promise<string> => {
    const { sid } = await person.shown(ROOM, person.say(ROOM, body, extensions));
    return sid ?? "";
  };
  return {
    network: "xmpp",
    share: async (word) => {
      const fields = { name: `${word}.txt`, mime: "text/plain", content: content(word).toString("base64") };
      const url = String(await person.ask("upload", { ...fields, service: "upload.localhost" }));
      return await tell(url, [["jabber:x:oob", "x", {}, [["jabber:x:oob", "url", {}, url]]]]);
    },
    edit: null,
    reply: async (text, to) =>
      void (await tell(text, [["urn:xmpp:reply:0", "reply", { to: `${ROOM}/${person.nick}`, id: to }, []]])),
    erase: async (id) => void (await tell("(taken back)", [["urn:xmpp:message-retract:1", "retract", { id }, []]])),
  };
}
