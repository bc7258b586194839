import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { XmppSession } from "../../../src/adapters/xmpp/live.ts";
import { NS } from "../../../src/adapters/xmpp/ns.ts";
import { xmppSettings } from "../../../src/adapters/xmpp/settings.suite.ts";
import { Stream } from "../../../src/adapters/xmpp/stream.ts";
import type { Cursor } from "../../../src/contract/ids.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { mutated, text, word } from "../text.ts";
import { cross } from "./crossing.ts";
import { stanza } from "./xmpp-stanzas.ts";

const HEADER =
  "<?xml version='1.0'?><stream:stream from='localhost' version='1.0' id='1' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";
const SASL = "urn:ietf:params:xml:ns:xmpp-sasl";
const BIND = "urn:ietf:params:xml:ns:xmpp-bind";
const ROOM = "town@conference.localhost";

/** A socket whose other end the fuzzer is: what it says comes at once. */
class Wire extends EventEmitter {
  sent = "";
  writableLength = 0;
  remoteAddress = "127.0.0.1";
  destroyed = false;

  write(written: string, done?: () => void): boolean {
    this.sent += written;
    if (done !== undefined) queueMicrotask(done);
    return true;
  }

  end(written = ""): void {
    this.sent += written;
  }

  destroy(): void {
    this.destroyed = true;
  }

  pause(): void {}
  resume(): void {}
  cork(): void {}
  uncork(): void {}

  say(said: string): void {
    if (!this.destroyed) this.emit("data", Buffer.from(said));
  }

  /** What was sent since the last time. */
  taken(): string {
    const { sent } = this;
    this.sent = "";
    return sent;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What the server says while we log in, step by step. */
function loginStep(sent: string): string {
  if (sent.includes("<auth")) return `<success xmlns='${SASL}'/>`;
  const id = /<iq[^>]* id="(?<id>[^"]*)"/u.exec(sent)?.groups?.["id"];
  if (id !== undefined) {
    return `<iq type='result' id='${id}'><bind xmlns='${BIND}'><jid>rialto@localhost/here</jid></bind></iq>`;
  }
  const features = `<mechanisms xmlns='${SASL}'><mechanism>ANONYMOUS</mechanism></mechanisms><bind xmlns='${BIND}'/><sm xmlns='${NS.sm}'/>`;
  return `${HEADER}<stream:features>${features}</stream:features>`;
}

/** Logs in as far as the server lets us; `strange` is the step at which it says something else. */
async function logIn(
  wire: Wire,
  stream: Stream,
  strange: { readonly at: number; readonly says: string },
): Promise<boolean> {
  let isIn = false;
  const over = stream.begin().then((failure) => (isIn = failure === null));
  let isKnown = false;
  for (let step = 0; step < 4; step += 1) {
    await turns();
    const sent = wire.taken();
    if (sent === "") break;
    if (step === strange.at) wire.say(strange.says);
    const says = loginStep(sent);
    // The second time, nobody asks who we are.
    wire.say(isKnown ? says.replace(/<mechanisms.*<\/mechanisms>/u, "") : says.replace(/<bind xmlns='[^']*'\/>/u, ""));
    isKnown ||= says.startsWith("<success");
  }
  await turns();
  if (!isIn) stream.end({ cause: "lost", why: { code: "timeout", message: "it goes no further" } });
  await over;
  return isIn;
}

/** What rooms and servers answer to our questions. */
function answers(random: Random, sent: string): readonly string[] {
  const asked = [
    ...sent.matchAll(/<iq type="(?:get|set)" id="(?<id>[^"]*)"(?: to="(?<to>[^"]*)")?>(?<what>.*?)<\/iq>/gsu),
  ];
  const said = asked.map(({ groups = {} }) => {
    const { id = "", to = "", what = "" } = groups;
    const head = `<iq type='result' id='${id}' from='${to}'>`;
    if (what.includes(NS.discoInfo)) {
      const features = [NS.mam, NS.sid, NS.occupantId, NS.muc].filter(() => random.chance(0.8));
      return `${head}<query xmlns='${NS.discoInfo}'>${features.map((one) => `<feature var='${one}'/>`).join("")}</query></iq>`;
    }
    if (what.includes(NS.mam)) {
      const query = /queryid="(?<id>[^"]*)"/u.exec(what)?.groups?.["id"] ?? "";
      const results = random.some(4, () => {
        const inner = stanza(random, ROOM).replace(/^<(?:presence|iq)/u, "<message");
        const stamp = random.chance(0.8) ? "2025-12-31T23:59:00Z" : text(random, 1).replaceAll(/[<>&'"]/gu, "");
        return `<message from='${ROOM}'><result xmlns='${NS.mam}' queryid='${query}' id='${random.int(50)}'><forwarded xmlns='${NS.forward}'><delay xmlns='${NS.delay}' stamp='${stamp}'/>${inner}</forwarded></result></message>`;
      });
      const fin = `<fin xmlns='${NS.mam}' complete='${random.chance(0.7)}'><set xmlns='${NS.rsm}'><last>${random.int(50)}</last></set></fin>`;
      return `${results.join("")}${head}${fin}</iq>`;
    }
    return `${head}<x/></iq>`;
  });
  if (!/<presence to="town@/u.test(sent)) return said;
  const here = (nick: string, codes: string): string =>
    `<presence from='${ROOM}/${nick}'><x xmlns='${NS.mucUser}'><item role='participant' affiliation='none'/>${codes}</x></presence>`;
  return [
    ...said,
    here("alice", ""),
    here("rialto", "<status code='110'/>"),
    `<message type='groupchat' from='${ROOM}'><subject/></message>`,
  ];
}

function cursor(random: Random): Cursor | null {
  if (random.chance(0.5)) return null;
  if (random.chance(0.2)) return text(random, 3) as Cursor;
  const at = random.pick(["1767225600000", "0", "-1", "1e999", "8.64e15", "-8.64e15", '"x"', "null"]);
  return `{"rooms":{"${ROOM}":{"id":${random.pick(["null", '"5"', "7"])},"at":${at}}}}` as Cursor;
}

async function live(random: Random, stanzas: readonly string[]): Promise<void> {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const wire = new Wire();
  const credentials = {
    user: "",
    password: "",
    anonymous: true,
    mechanism: "",
    noPlain: false,
    plainInClear: false,
  } as const;
  const stream = new Stream({
    socket: wire as unknown as Socket,
    secure: false,
    domain: "localhost",
    place: "here",
    credentials,
    clock,
  });
  const strange = { at: random.chance(0.1) ? random.int(4) : -1, says: stanzas[0] ?? word(random) };
  if (!(await logIn(wire, stream, strange))) {
    if (strange.at === -1) throw new Error("nothing strange was said, and we are not let in");
    await stream.ended;
    return;
  }
  const session = new XmppSession({ stream, settings: xmppSettings({ Anonymous: true }), host, since: cursor(random) });
  const joined = session.join({ name: "town", options: {} }, new AbortController().signal);
  const answer = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) {
      await turns();
      const sent = wire.taken();
      if (sent === "") break;
      for (const said of answers(random, sent)) wire.say(random.chance(0.02) ? stanza(random, ROOM) : said);
    }
  };
  await answer();
  for (const said of stanzas) {
    wire.say(said);
    if (!random.chance(0.05)) continue;
    await clock.advance(random.pick([100, 6_000, 60_000]));
    await answer();
  }
  await answer();
  await session.quiesce();
  stream.end({ cause: "lost", why: { code: "network", message: "over" } });
  await Promise.all([joined, session.ended]);
  await turns();
  if (clock.waiting > 0) throw new Error(`${clock.waiting} timers outlive the session`);
  for (const { fields, message } of host.records) {
    if (message.includes("bug")) throw new Error(`${message}: ${JSON.stringify(fields)}`);
  }
  cross(host.events);
}

/** Stanzas of an XMPP server, through a whole session. */
export const xmpp: Target = {
  name: "xmpp",
  make: (random): Case => {
    const stanzas = random.some(40, () => {
      const one = stanza(random, ROOM);
      return random.chance(0.03) ? mutated(random, one) : one;
    });
    return { show: () => stanzas.join("\n"), run: async () => await live(random, stanzas) };
  },
};
