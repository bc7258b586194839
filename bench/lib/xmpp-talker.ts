import { once } from "node:events";
import { connect } from "node:net";
import type { XmppServer } from "../../test/servers/xmpp/server.ts";
import { soon, type Talker, type TalkerOptions } from "./talker.ts";

const MUC = "conference.localhost";
const PASSWORD = "open-sesame";
const HEADER =
  "<?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";

/** A plain socket with just enough of XMPP: it reads what benchmarks say, and nothing with marks in it. */
export async function xmppTalker(server: XmppServer, { rooms, nick, heard }: TalkerOptions): Promise<Talker> {
  await server.register(nick, PASSWORD);
  const socket = connect({ host: "127.0.0.1", port: server.port, noDelay: true });
  await once(socket, "connect");
  const joined = new Set<string>();
  let gone = false;
  let all = "";
  socket.setEncoding("utf8");
  socket.on("close", () => (gone = true));
  socket.on("error", () => (gone = true));
  const inside = new RegExp(`^(?<room>[^@]+)@${MUC}/(?<nick>.*)$`, "u");
  const take = (stanza: string): void => {
    const from = inside.exec(/\bfrom=['"](?<from>[^'"]*)['"]/u.exec(stanza)?.groups?.["from"] ?? "")?.groups;
    const room = from?.["room"];
    if (room === undefined) return;
    if (stanza.startsWith("<presence") && /code=['"]110['"]/u.test(stanza)) joined.add(room);
    const text = /<body[^>]*>(?<text>[^<]*)<\/body>/u.exec(stanza)?.groups?.["text"];
    if (!stanza.startsWith("<message") || text === undefined || from?.["nick"] === nick || stanza.includes("<delay"))
      return;
    heard({ room, kind: stanza.includes("urn:xmpp:message-correct:0") ? "edit" : "message", text });
  };
  socket.on("data", (chunk: string) => {
    all += chunk;
    for (let end = endOf(all); end > 0; end = endOf(all)) {
      take(all.slice(Math.max(0, all.search(/<(?:message|presence)\b/u)), end));
      all = all.slice(end);
    }
  });
  const step = async (says: string, until: string): Promise<void> => {
    all = "";
    socket.write(says);
    await soon(`${until} for ${nick}`, () => all.includes(until) || gone);
    if (gone) throw new Error(`the XMPP server has thrown ${nick} out: ${all}`);
  };
  const secret = Buffer.from(`\0${nick}\0${PASSWORD}`).toString("base64");
  await step(HEADER, "</stream:features>");
  await step(`<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${secret}</auth>`, "<success");
  await step(HEADER, "</stream:features>");
  await step("<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>", "</iq>");
  all = "";
  for (const room of rooms)
    socket.write(`<presence to='${room}@${MUC}/${nick}'><x xmlns='http://jabber.org/protocol/muc'/></presence>`);
  await soon(`${nick} to be in ${rooms.length} rooms`, () => joined.size === rooms.length || gone);
  return {
    say: async (room, text) => {
      if (gone) throw new Error(`the XMPP server has thrown ${nick} out`);
      const id = crypto.randomUUID();
      socket.write(`<message to='${room}@${MUC}' type='groupchat' id='${id}'><body>${text}</body></message>`);
    },
    stop: async () => void socket.destroy(),
  };
}

/** Where the first whole message or presence ends; -1 when there is none. */
function endOf(text: string): number {
  const found = /<\/(?:message|presence)>|<presence\b[^>]*\/>/u.exec(text);
  return found === null ? -1 : found.index + found[0].length;
}
