import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { matrixPlace } from "../crossing/matrix-place.ts";
import { needs } from "../servers/installed.ts";
import { SERVER_NAME, startSynapse } from "../servers/matrix/synapse.ts";
import { NioPeople } from "../servers/people/nio.ts";
import type { SlixmppPerson } from "../servers/people/slixmpp.ts";
import { startProsody } from "../servers/xmpp/prosody.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import type { ApiSocket } from "../support/socket.ts";
import type { ApiStream } from "../support/stream.ts";
import { type Filer, matrixFiler, xmppFiler, xmppPerson } from "./filers.ts";
import { GATEWAY, PASSWORD, ROOM } from "./harness.ts";

/**
 * What readers of the API get of files, on real servers, without FullEvents and without any public address of Rialto.
 */

const LIMIT = 2_000;
const READERS = ["poll", "stream", "socket", "full"];

const ends: (() => Promise<unknown>)[] = [];
let rialto: Rialto;
let stream: ApiStream;
let socket: ApiSocket;
let full: ApiStream;
let filers: { readonly matrix: Filer; readonly xmpp: Filer };
let xara: SlixmppPerson;
let web = "";

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.unshift(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const configuration = (xmpp: number, matrix: string): string => `[general]
MediaAllowPrivate = true
MediaDownloadSize = ${LIMIT}
[xmpp.net]
Server = "127.0.0.1:${xmpp}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
[matrix.net]
Server = "${matrix}"
Login = "rialto"
Password = "${PASSWORD}"
${READERS.map((name) => `[api.${name}]\nFullEvents = ${name === "full"}\n`).join("")}
[[gateway]]
name = "${GATEWAY}"
enable = true
${[["xmpp.net", "square"], ["matrix.net", `#square:${SERVER_NAME}`], ...READERS.map((name) => [`api.${name}`, "api"])]
  .map(([account, channel]) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`)
  .join("\n")}
`;

/** The message that comes next to each reader, and to the poll once the others have it. */
async function heard(holds: (message: Message) => boolean): Promise<readonly Message[]> {
  const found = [];
  for (const reader of [stream, socket, full]) {
    let message = await reader.next();
    while (!holds(message)) message = await reader.next();
    found.push(message);
  }
  const polled = (await rialto.client("poll").poll()).find(holds);
  if (polled === undefined) throw new Error("the poll has nothing of it");
  return [polled, ...found];
}

/** Says it again and again until it is heard: what is said before Rialto is in a room may be lost. */
async function greet(say: (word: string) => Promise<unknown>, name: string): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    await say(`hello ${name} ${turn}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    if ((await rialto.client("poll").texts()).some((text) => text.startsWith(`hello ${name}`))) return;
  }
  throw new Error(`nothing from ${name}; Rialto printed:\n${rialto.output().slice(-4_000)}`);
}

needs(["prosody", "synapse", "python3-slixmpp", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    const [prosody, synapse] = await Promise.all([startProsody(), startSynapse()]);
    ends.unshift(
      async () => await prosody.stop(),
      async () => await synapse.stop(),
    );
    const nio = new NioPeople(synapse.url);
    ends.unshift(async () => await nio.stop());
    const [{ place, room }, user] = await Promise.all([
      matrixPlace(nio, "square"),
      nio.person("rialto", { deaf: true, password: PASSWORD }),
      prosody.register("rialto", PASSWORD),
    ]);
    await nio.quit(user.id);
    rialto = await startRialto({ config: configuration(prosody.port, synapse.url) });
    ends.unshift(async () => await rialto.dispose());
    xara = await xmppPerson(prosody, "xara");
    ends.unshift(async () => await xara.quit());
    filers = { matrix: await matrixFiler(nio, room), xmpp: xmppFiler(xara) };
    await greet(async (word) => await place.say(word, "normal"), "matrix");
    await greet(async (word) => await xara.shown(ROOM, xara.say(ROOM, word)), "xmpp");
    [stream, socket, full] = [
      await rialto.client("stream").stream(),
      await rialto.client("socket").socket(),
      await rialto.client("full").stream(),
    ];
    const dead: RequestListener = () => undefined;
    web = await serve((request, response) =>
      request.url?.startsWith("/large") === true ? response.end(Buffer.alloc(LIMIT + 1)) : dead(request, response),
    );
  });
  afterAll(async () => {
    await Promise.all([stream?.close(), full?.close(), socket?.close()]);
    for (const end of ends) await end();
  });

  test.each(["matrix", "xmpp"] as const)(
    "a small file of %s has its content for all readers without FullEvents",
    async (from) => {
      await filers[from].share(`small${from}`);
      const name = `small${from}.txt`;
      const [polled, streamed, framed, whole] = await heard(({ Extra }) => Extra?.file[0]?.Name === name);
      const data = Buffer.from(`the file small${from}\n`).toString("base64");
      const url: unknown = from === "xmpp" ? expect.stringMatching(/^http/u) : "";
      const text = from === "xmpp" ? url : `caption: small${from}`;
      expect(polled).toMatchObject({ text, event: "", Extra: { file: [{ Name: name, Data: data, URL: url }] } });
      expect(streamed).toEqual(polled);
      expect(framed).toEqual(polled);
      expect(whole).toMatchObject({ text: "", Extra: { file: [{ Name: name, Data: "" }] } });
      console.log(`figures: ${JSON.stringify(polled)}`);
    },
  );

  test("what is too large, or does not come, is said in words or is an address; what comes after it is not lost", async () => {
    for (const url of [`${web}/large.png`, `${web}/dead.png`, `${web}/dead2.png`])
      await xara.shown(ROOM, xara.say(ROOM, url, [["jabber:x:oob", "x", {}, [["jabber:x:oob", "url", {}, url]]]]));
    const begun = Date.now();
    await xara.shown(ROOM, xara.say(ROOM, "after"));
    const texts: string[] = [];
    for (let message = await stream.next(); ; message = await stream.next()) {
      texts.push(message.text);
      if (message.text === "after") break;
      expect(message.Extra?.file).toMatchObject([{ Data: "", URL: message.text }]);
    }
    console.log(`figures: three links, of which two to a dead server: "after" came in ${Date.now() - begun} ms`);
    expect(texts).toEqual([`${web}/large.png`, `${web}/dead.png`, `${web}/dead2.png`, "after"]);
  });
});
