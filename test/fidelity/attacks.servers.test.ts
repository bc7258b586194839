import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { residentKiB } from "../../bench/lib/proc.ts";
import { REAL_NETWORKS, type RealNetwork, type Sight } from "../crossing/place.ts";
import { holds } from "../crossing/things.ts";
import { needs } from "../servers/installed.ts";
import type { NioPerson } from "../servers/people/nio.ts";
import type { Extension, SlixmppPerson } from "../servers/people/slixmpp.ts";
import { xmppPerson } from "./filers.ts";
import type { Answer } from "./front.ts";
import { copies, fence, GATEWAY, reached, ROOM, startHarness, until, type FidelityHarness } from "./harness.ts";

/** What strangers try, and what comes of it: one line of figures for each. */

const MALLORY = "mallory";
let harness: FidelityHarness;
const people: SlixmppPerson[] = [];

const replaces = (id: string): Extension => ["urn:xmpp:message-correct:0", "replace", { id }, []];
const retracts = (id: string): Extension => ["urn:xmpp:message-retract:1", "retract", { id }, []];
const say = (what: string, result: string): void => console.log(`figures: ${what}: ${result}`);
const seenOn = (network: RealNetwork): readonly Sight[] => harness.places[network].sights();

/** Where these words have come to, of the networks named. */
function cameTo(words: string, networks: readonly RealNetwork[] = REAL_NETWORKS): readonly RealNetwork[] {
  return networks.filter((network) => seenOn(network).some(({ text }) => holds(text, words)));
}

async function join(nick: string): Promise<SlixmppPerson> {
  const person = await xmppPerson(harness.prosody, nick);
  people.push(person);
  return person;
}

async function write(
  person: SlixmppPerson,
  text: string,
  extensions: readonly Extension[] = [],
  id: string = crypto.randomUUID(),
) {
  person.say(ROOM, text, extensions, id);
  return await person.shown(ROOM, id);
}

needs(["inspircd", "prosody", "synapse", "python3-irc", "python3-slixmpp", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    harness = await startHarness({ general: "MediaDownloadSize = 2000000" });
  });
  afterEach(({ task }) => {
    if (task.result?.state === "fail") console.error(`Rialto printed:\n${harness.rialto.output().slice(-6_000)}`);
  });
  afterAll(async () => {
    for (const person of people) await person.quit();
    await harness?.end();
  });

  test("XMPP: nobody edits or takes back what somebody else has said", async () => {
    const others = REAL_NETWORKS.filter((network) => network !== "xmpp");
    const [alice, mallory] = [await join("alice"), await join(MALLORY)];
    const id = "alices-own-id";
    const original = await write(alice, "say originalWord", [], id);
    await reached(harness, "xmpp", "originalWord");
    await write(mallory, "say forgedEdit", [replaces(id)]);
    await write(mallory, "say forgedByRoomId", [replaces(original.sid ?? "")]);
    await write(mallory, "taken back", [retracts(original.sid ?? "")]);
    // The id of another's message, for one's own, which is edited then.
    await write(mallory, "say malloryOwn", [], id);
    // What has not arrived yet would only arrive as it reads then.
    await reached(harness, "xmpp", "malloryOwn");
    await write(mallory, "say malloryEdited", [replaces(id)]);
    await write(alice, "say aliceEdited", [replaces(id)]);
    await fence(harness, "edits");
    for (const to of others) {
      // Mallory has no message with this id: what she says is a message of her own.
      expect(cameTo("forgedEdit", [to])).toEqual([to]);
      expect(cameTo("forgedByRoomId", [to])).toEqual([]);
      if (to === "irc") continue;
      const ids = (word: string): readonly string[] => copies(seenOn(to), word)[0]?.ids ?? [];
      const edited = (word: string): Sight | undefined =>
        seenOn(to).find(({ kind, text }) => kind === "edit" && holds(text, word));
      expect(edited("forgedEdit")).toBeUndefined();
      expect(ids("originalWord")).toContain(edited("aliceEdited")?.target);
      expect(ids("malloryOwn")).toContain(edited("malloryEdited")?.target);
      const gone = seenOn(to).filter(
        ({ kind, target }) => kind === "delete" && ids("originalWord").includes(target ?? ""),
      );
      expect({ to, gone }).toEqual({ to, gone: [] });
    }
    say(
      "XMPP, correcting or retracting another's message by its id",
      "a message of one's own, or dropped; the same id on a message of one's own edits only that one",
    );
    await alice.quit();
    await mallory.until(
      (seen) => seen.some((one) => one.kind === "presence" && one.nick === "alice" && !one.here),
      "to see alice leave",
    );
    await mallory.rename(ROOM, "alice");
    await write(mallory, "say forgedLater", [replaces(id)]);
    await fence(harness, "reuse");
    // It may be taken for an edit of mallory's own message with this id, and of nothing else.
    for (const to of others.filter((network) => network !== "irc")) {
      const original1 = copies(seenOn(to), "originalWord")[0]?.ids ?? [];
      const hits = seenOn(to).filter(
        ({ text, target }) => holds(text, "forgedLater") && original1.includes(target ?? ""),
      );
      expect({ to, hits }).toEqual({ to, hits: [] });
    }
    say("XMPP, the nick of somebody who has left, and the id of their message", "the message stays as it was");
  });

  test("Matrix: nobody edits or takes back what somebody else has said", async () => {
    const others = REAL_NETWORKS.filter((network) => network !== "matrix");
    const { nio, matrixRoom: room } = harness;
    const mallory: NioPerson = await nio.person(MALLORY);
    await mallory.ask("join", { room });
    const replace = async (event: string, words: string): Promise<void> => {
      const fresh = { msgtype: "m.text", body: words };
      const content = {
        ...fresh,
        body: `* ${words}`,
        "m.new_content": fresh,
        "m.relates_to": { rel_type: "m.replace", event_id: event },
      };
      await mallory.ask("send", { room, type: "m.room.message", content });
    };
    const original = await harness.places.matrix.say("say monasWord", "normal");
    await harness.places.irc.say("say irasWord", "normal");
    await reached(harness, "matrix", "monasWord");
    await reached(harness, "irc", "irasWord");
    await replace(original, "say matrixForged");
    const [copy = ""] = copies(seenOn("matrix"), "irasWord")[0]?.ids ?? [];
    await replace(copy, "say copyForged");
    await expect(mallory.ask("redact", { room, event: original })).rejects.toThrow(/M_FORBIDDEN|403/u);
    await fence(harness, "matrixEdits");
    expect(cameTo("matrixForged", others)).toEqual([]);
    expect(cameTo("copyForged", others)).toEqual([]);
    say(
      "Matrix, m.replace of another's event, or of a copy that Rialto made",
      "dropped; a redaction is refused by the server",
    );
  });

  test("placeholders in names are only names", async () => {
    const trick = await join("{CHANNEL}{GATEWAY}");
    await write(trick, "say trickOne");
    await harness.rialto.client("writer").say({ gateway: GATEWAY, username: "{NICK}{PROTOCOL}", text: "say trickTwo" });
    await reached(harness, "xmpp", "trickOne");
    await reached(harness, "api", "trickTwo");
    const shown = (word: string): string => seenOn("irc").find(({ text }) => holds(text, word))?.text ?? "";
    expect(shown("trickOne")).toBe("<{CHANNEL}{GATEWAY}> say trickOne");
    expect(shown("trickTwo")).toBe("<{NICK}{PROTOCOL}> say trickTwo");
    say("a nick {CHANNEL}{GATEWAY}", shown("trickOne"));
  });

  test("@room from IRC notifies nobody", async () => {
    await harness.places.irc.say("@room @everyone @here @channel mona: roomWord", "normal");
    await reached(harness, "irc", "roomWord");
    const sight = copies(seenOn("matrix"), "roomWord")[0];
    expect(sight?.text).toContain("@room");
    expect(sight?.alerts).toBe(false);
    const reader = await harness.nio.person("rita");
    await reader.ask("join", { room: harness.matrixRoom });
    await harness.places.irc.say("@room rita: ritaWord", "normal");
    await until(
      () => (reader.seen.some(({ event }) => JSON.stringify(event).includes("ritaWord")) ? [] : ["ritaWord"]),
      harness.rialto,
    );
    const pushed = (await reader.ask("raw", {
      method: "GET",
      path: "/_matrix/client/v3/notifications?only=highlight",
      body: null,
    })) as {
      readonly notifications: readonly unknown[];
    };
    expect(pushed.notifications).toEqual([]);
    expect(cameTo("roomWord", ["xmpp", "api"])).toEqual(["xmpp", "api"]);
    say(
      "@room and a name, from IRC to Matrix",
      "text; no m.mentions, and the homeserver has no highlight for who is named",
    );
  });

  test("a client of the API acts on its own messages only", async () => {
    await harness.places.xmpp.say("say xenasWord", "normal");
    await reached(harness, "xmpp", "xenasWord");
    const [id = ""] = copies(seenOn("api"), "xenasWord")[0]?.ids ?? [];
    const writer = harness.rialto.client("writer");
    const edit = await writer.post({
      gateway: GATEWAY,
      username: "xena",
      id,
      text: "say apiForged",
      event: "msg_edit",
    });
    const erase = await writer.post({ gateway: GATEWAY, username: "xena", id, event: "msg_delete" });
    expect([edit.status, erase.status]).toEqual([403, 403]);
    await writer.say({
      gateway: GATEWAY,
      username: "x",
      text: "say apiFields",
      account: "xmpp.net",
      protocol: "xmpp",
      channel: "#other",
    });
    await fence(harness, "api");
    expect(cameTo("apiForged")).toEqual([]);
    const line = harness.places.api.sights().find(({ text }) => holds(text, "apiFields"));
    expect(line?.kind).toBe("normal");
    say("API, msg_edit and msg_delete of a message from XMPP", `${edit.status} and ${erase.status}`);
  });

  test("a drawing with a script is only saved", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    await harness.places.matrix.share?.({ name: "drawingWord.svg", mime: "image/svg+xml", content: svg });
    const line = await shownOn("irc", "drawingWord.svg");
    const url = /http:\/\/\S+/u.exec(line)?.[0] ?? "";
    expect(url).toContain(harness.mediaUrl);
    const answer = await fetch(url);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(svg);
    const { headers } = answer;
    expect(headers.get("content-disposition")).toMatch(/^attachment;/u);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/u);
    say("an SVG with a script, by the link", `${headers.get("content-disposition")}; nosniff; sandboxed`);
  });

  test("a file that claims 1 kB and goes on for 1 GB ends at the limit", async () => {
    const GIGABYTE = 1_000_000_000;
    const chunk = Buffer.alloc(1 << 20, 1);
    let sent = 0;
    // Without a length.
    const bomb: Answer = (response) => {
      response.writeHead(200, { "content-type": "image/png" });
      const more = (): void => {
        while (sent < GIGABYTE && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    };
    const before = residentKiB(harness.rialto.pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, residentKiB(harness.rialto.pid))), 5);
    await share("bomb.png", bomb);
    const refusal = await shownOn("irc", "bomb.png");
    clearInterval(watch);
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(GIGABYTE / 10);
    expect(refusal).not.toContain(harness.mediaUrl);
    const figures = `${(sent / 1e6).toFixed(0)} MB left the server (buffers of two sockets included), ${((most - before) / 1024).toFixed(1)} MiB more memory`;
    say("a file of 1 GB that claims 1 kB, with a limit of 2 MB", `${figures}; shown: ${refusal}`);
  });

  test("a file whose server leads to 127.0.0.1 is not fetched from there", async () => {
    let hits = 0;
    const secret = await listen(() => (hits += 1));
    await share("led.png", (response) => response.writeHead(307, { location: `${secret}/led.png` }).end());
    const led = await shownOn("irc", "led.png");
    const file = { Name: "named.png", URL: `${secret}/named.png` };
    await harness.rialto
      .client("writer")
      .say({ gateway: GATEWAY, username: "eve", text: "namedWord", Extra: { file: [file] } });
    await reached(harness, "api", "namedWord");
    await fence(harness, "redirect");
    expect(hits).toBe(0);
    expect(seenOn("matrix").filter((sight) => sight.file?.name === "named.png")).toEqual([]);
    const named = seenOn("matrix").find(({ text }) => text.includes("named.png"))?.text ?? "";
    say("a redirect to 127.0.0.1, and an address there", `not fetched; shown: ${led} | ${named}`);
  });
});

/** A file from Matrix that claims 1 kB; this is what its server answers. */
async function share(name: string, answer: Answer): Promise<void> {
  const sharer = await harness.nio.person(`sharer-${name}`);
  await sharer.ask("join", { room: harness.matrixRoom });
  const url = String(await sharer.ask("upload", { content: "00", mime: "image/png", file: name }));
  harness.front.instead.set(url.slice(url.lastIndexOf("/")), answer);
  const content = { msgtype: "m.image", body: name, url, info: { mimetype: "image/png", size: 1_000 } };
  await sharer.ask("send", { room: harness.matrixRoom, type: "m.room.message", content });
}

/** The line about a file. */
async function shownOn(network: RealNetwork, name: string): Promise<string> {
  const line = (): string | undefined => seenOn(network).find(({ text }) => text.includes(name))?.text;
  await until(() => (line() === undefined ? [`"${name}" on ${network}`] : []), harness.rialto);
  return line() ?? "";
}

async function listen(handler: () => void): Promise<string> {
  const server = createServer((_, response) => {
    handler();
    response.end("secret");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
