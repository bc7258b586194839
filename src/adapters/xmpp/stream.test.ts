import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { NS } from "./ns.ts";
import { BIND, HEADER, SASL, streamTo } from "./stream.suite.ts";
import { el, type Stanza } from "./xml.ts";

// What still waits must not end the program either: a rejection that nobody handles fails the test.
test.each([
  ["closes at once", (socket: Socket) => socket.destroy()],
  ["closes once it is spoken to", (socket: Socket) => socket.once("data", () => socket.destroy())],
  ["closes after its header", (socket: Socket) => socket.once("data", () => socket.end(HEADER))],
] as const)("a server that %s", async (_, server) => {
  const stream = await streamTo(server);
  const failure = await stream.begin();
  expect(failure).toMatchObject({ cause: "lost", why: { code: "network" } });
  expect(await stream.ended).toEqual(failure);
  await new Promise((resolve) => setImmediate(resolve));
});

/** A server that lets everybody in, and then says this. `heard`: all that it is sent. */
function friendly(says: string, heard: string[] = []): (socket: Socket) => void {
  return (socket) => {
    let isKnown = false;
    socket.on("data", (part: Buffer) => {
      const sent = part.toString();
      heard.push(sent);
      const id = /<iq[^>]* id="(?<id>[^"]*)"/u.exec(sent)?.groups?.["id"];
      if (sent.includes("<auth")) {
        isKnown = true;
        socket.write(`<success xmlns='${SASL}'/>`);
      } else if (sent.includes("<stream:stream")) {
        const login = `<mechanisms xmlns='${SASL}'><mechanism>PLAIN</mechanism></mechanisms>`;
        const features = isKnown ? `<bind xmlns='${BIND}'/><sm xmlns='${NS.sm}'/>` : login;
        socket.write(`${HEADER}<stream:features>${features}</stream:features>`);
      } else if (id !== undefined && sent.includes(BIND)) {
        socket.write(`<iq type='result' id='${id}'><bind xmlns='${BIND}'><jid>rialto@localhost/here</jid></bind></iq>`);
      } else if (sent.includes("<enable")) {
        socket.write(`<enabled xmlns='${NS.sm}'/>${says}`);
      }
    });
  };
}

test.each([
  [
    "sends us elsewhere",
    "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>x</see-other-host></stream:error>",
    "remote_error",
  ],
  ["ends the stream without a reason", "<stream:error/>", "remote_error"],
  ["continues after the end of its stream", "</stream:stream><message/>", "network"],
  ["says what is not XML, twice", "<a></b></c></d>", "remote_error"],
  [
    "acknowledges what was never sent, then stops",
    `<a xmlns='${NS.sm}' h='99999999999999999999'/><stream:error><conflict/></stream:error>`,
    "remote_error",
  ],
] as const)("a server that lets us in and then %s ends the session alone", async (_, says, code) => {
  const stream = await streamTo(friendly(says), { mechanism: "PLAIN" });
  expect(await stream.begin()).toBeNull();
  expect(await stream.ended).toMatchObject({ cause: "lost", why: { code } });
  await new Promise((resolve) => setImmediate(resolve));
});

test("names and passwords are UTF-8, in whatever letters", async () => {
  const heard: string[] = [];
  const stream = await streamTo(friendly("", heard), { user: "zoë", password: "пароль 密码", mechanism: "PLAIN" });
  expect(await stream.begin()).toBeNull();
  const sent = /<auth[^>]*>(?<base64>[^<]*)</u.exec(heard.join(""))?.groups?.["base64"] ?? "";
  expect(Buffer.from(sent, "base64").toString()).toBe("\0zoë\0пароль 密码");
  stream.end({ cause: "asked", why: { code: "stopping", message: "" } });
});

test("questions of others are answered, and all else is told", async () => {
  const heard: string[] = [];
  const questions =
    "<iq type='get' id='p' from='a@b/c'><ping xmlns='urn:xmpp:ping'/></iq><iq type='set' id='s' from='a@b'><x/></iq><iq type='get'/>";
  const stream = await streamTo(friendly(`${questions}<r xmlns='${NS.sm}'/><message id='last'/>`, heard), {
    mechanism: "PLAIN",
  });
  const told: Stanza[] = [];
  const last = new Promise<void>((resolve) => {
    stream.onStanza = (stanza) => {
      told.push(stanza);
      if (stanza.attrs["id"] === "last") resolve();
    };
  });
  expect(await stream.begin()).toBeNull();
  await last;
  stream.send(el("done", {}));
  await expect.poll(() => heard.join(""), { timeout: 20_000 }).toContain("<done/>");
  const sent = heard.join("");
  expect(sent).toContain('<iq id="p" to="a@b/c" type="result"/>');
  expect(sent).toMatch(/<iq id="s" to="a@b" type="error"><error type="cancel"><service-unavailable/u);
  expect(sent).toContain('h="3"');
  expect(sent.match(/<a /gu)).toHaveLength(1);
  expect(told.map(({ name }) => name)).toEqual(["iq", "message"]);
  stream.end({ cause: "asked", why: { code: "stopping", message: "" } });
});
