import { apiPlace, sightsOf } from "../crossing/api-place.ts";
import { ircPlace } from "../crossing/irc-place.ts";
import { matrixPlace } from "../crossing/matrix-place.ts";
import { REAL_NETWORKS, type RealNetwork, type Place, type Sight } from "../crossing/place.ts";
import { holds } from "../crossing/things.ts";
import { xmppPlace } from "../crossing/xmpp-place.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import type { IrcServer } from "../servers/irc/server.ts";
import { SERVER_NAME, startSynapse, type Synapse } from "../servers/matrix/synapse.ts";
import { NioPeople } from "../servers/people/nio.ts";
import { type Proxy, startProxy } from "../servers/proxy.ts";
import { startProsody } from "../servers/xmpp/prosody.ts";
import type { XmppServer } from "../servers/xmpp/server.ts";
import { freePorts } from "../support/ports.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import type { ApiStream } from "../support/stream.ts";
import { pauseAfter } from "../support/wait.ts";
import { type Front, startFront } from "./front.ts";

export const GATEWAY = "square";
export const PASSWORD = "open-sesame";
const CHANNEL = "#square";
export const ROOM = "square@conference.localhost";

type Places = Readonly<Record<RealNetwork, Place>>;

export interface FidelityOptions {
  /** Lines of `[general]`. */
  readonly general?: string;
  /** Further lines of an account's section. */
  readonly irc?: string;
  readonly xmpp?: string;
  readonly matrix?: string;
}

/**
 * A real server of each network with somebody in its room, and Rialto between them, which can be stopped and started
 * again with its data.
 */
export interface FidelityHarness {
  readonly ircd: IrcServer;
  readonly prosody: XmppServer;
  readonly synapse: Synapse;
  readonly nio: NioPeople;
  /** Between Rialto and the server. */
  readonly xmppProxy: Proxy;
  readonly matrixProxy: Proxy;
  /** Between that and the homeserver. */
  readonly front: Front;
  readonly mediaUrl: string;
  readonly matrixRoom: string;
  /** What the API shows is that of all lives. */
  readonly places: Places;
  rialto: Rialto;
  /** Starts Rialto anew, which has been stopped, and resolves once everybody hears everybody. */
  again(): Promise<void>;
  end(): Promise<void>;
}

export async function startHarness(options: FidelityOptions = {}): Promise<FidelityHarness> {
  const ends: (() => Promise<unknown>)[] = [];
  const kept = async <T>(starting: Promise<T>, end: (started: T) => Promise<unknown>): Promise<T> => {
    const started = await starting;
    ends.unshift(async () => await end(started));
    return started;
  };
  const end = async (): Promise<void> => {
    for (const one of ends.splice(0)) await one();
  };
  try {
    const [ircd, prosody, synapse] = await Promise.all([
      kept(startInspircd(), async (server) => await server.stop()),
      kept(startProsody(), async (server) => await server.stop()),
      kept(startSynapse(), async (server) => await server.stop()),
    ]);
    const front = await kept(startFront(synapse.port), async (started) => await started.stop());
    const xmppProxy = await kept(startProxy(prosody.port), async (proxy) => await proxy.stop());
    const matrixProxy = await kept(startProxy(front.port), async (proxy) => await proxy.stop());
    const nio = await kept(Promise.resolve(new NioPeople(synapse.url)), async (people) => await people.stop());
    const [irc, xmpp, { place: matrix, room: matrixRoom }, user] = await Promise.all([
      kept(ircPlace(ircd.port, CHANNEL), async (place) => await place.quit()),
      kept(xmppPlace(prosody, ROOM), async (place) => await place.quit()),
      matrixPlace(nio, "square"),
      nio.person("rialto", { deaf: true, password: PASSWORD }),
      prosody.register("rialto", PASSWORD),
    ]);
    await nio.quit(user.id);
    const [media = 0] = await freePorts(1);
    const config = configuration({ irc: ircd.port, xmpp: xmppProxy.port, matrix: matrixProxy.port, media }, options);
    const streams: ApiStream[] = [];
    let lives = 0;
    const live = async (dataPath?: string): Promise<{ readonly rialto: Rialto; readonly places: Places }> => {
      const rialto = await kept(
        startRialto({ config, ...(dataPath !== undefined && { dataPath }) }),
        async (program) => await program.dispose(),
      );
      const stream = await rialto.client("reader").stream();
      streams.push(stream);
      const api = { ...apiPlace(rialto.client("writer"), stream, GATEWAY), sights: () => streams.flatMap(sightsOf) };
      const places: Places = { irc, xmpp, matrix, api };
      lives += 1;
      await allHear(places, `hello${lives}`, rialto);
      return { rialto, places };
    };
    const first = await live();
    const harness: FidelityHarness = {
      ircd,
      prosody,
      synapse,
      nio,
      xmppProxy,
      matrixProxy,
      front,
      matrixRoom,
      ...first,
      mediaUrl: `http://127.0.0.1:${media}`,
      again: async () => {
        Object.assign(harness, await live(first.rialto.dataPath));
      },
      end,
    };
    return harness;
  } catch (error) {
    await end();
    throw error;
  }
}

/** Between two tries to be heard. */
const SAY_AGAIN_MS = 500;
/** How long a test waits for something that comes through several servers, on a busy machine. */
const PATIENCE_MS = 40_000;

/** Resolves once `missing` is empty; fails when it stays the same for too long. */
export async function until(
  missing: () => readonly string[],
  rialto: Rialto,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  let before = "";
  let since = Date.now();
  for (;;) {
    const begun = performance.now();
    const left = missing();
    if (left.length === 0) return;
    const pause = pauseAfter(performance.now() - begun);
    const now = left.join(", ");
    if (now !== before) since = Date.now();
    before = now;
    if (Date.now() - since > patienceMs)
      throw new Error(`waited for ${now}; Rialto printed:\n${rialto.output().slice(-4_000)}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const sees = (place: Place, word: string): boolean => place.sights().some(({ text }) => holds(text, word));

/** Resolves once everybody else has seen what was said on one network. */
export async function reached(
  harness: Pick<FidelityHarness, "places" | "rialto">,
  from: RealNetwork,
  word: string,
  patienceMs?: number,
): Promise<void> {
  const others = REAL_NETWORKS.filter((to) => to !== from);
  await until(
    () => others.filter((to) => !sees(harness.places[to], word)).map((to) => `"${word}" on ${to}`),
    harness.rialto,
    patienceMs,
  );
}

/** Somebody says a word, and everybody has it: then they have all that was said there before. */
export async function fence(harness: Pick<FidelityHarness, "places" | "rialto">, word: string): Promise<void> {
  await Promise.all(
    REAL_NETWORKS.map(async (from) => {
      await harness.places[from].say(`${word}Q${from}`, "normal");
      await reached(harness, from, `${word}Q${from}`);
    }),
  );
}

/**
 * Each says the word again and again until all others have heard it: what was said while Rialto is not in the room yet
 * may be lost.
 */
async function allHear(places: Places, word: string, rialto: Rialto): Promise<void> {
  await Promise.all(
    REAL_NETWORKS.map(async (from) => {
      const others = REAL_NETWORKS.filter((to) => to !== from);
      const own = `${word}Q${from}`;
      let saidMs = -Infinity;
      let saying: Promise<unknown> = Promise.resolve();
      await until(() => {
        if (performance.now() - saidMs >= SAY_AGAIN_MS) {
          saidMs = performance.now();
          saying = saying.then(async () => await places[from].say(own, "normal"));
        }
        return others.filter((to) => !sees(places[to], own)).map((to) => `"${own}" on ${to}`);
      }, rialto);
      await saying;
    }),
  );
}

/** The messages that hold a word, as they came: without edits and such. */
export function copies(sights: readonly Sight[], word: string): readonly Sight[] {
  return sights.filter(
    ({ kind, text, file }) => kind === "normal" && (holds(text, word) || (file !== null && holds(file.name, word))),
  );
}

interface Ports {
  readonly irc: number;
  readonly xmpp: number;
  readonly matrix: number;
  readonly media: number;
}

function configuration({ irc, xmpp, matrix, media }: Ports, options: FidelityOptions): string {
  const bridges = [
    ["irc.net", CHANNEL],
    ["xmpp.net", "square"],
    ["matrix.net", `#square:${SERVER_NAME}`],
    ["api.writer", "api"],
    ["api.reader", "api"],
  ].map(([account, channel]) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`);
  return `[general]
MediaBindAddress = "127.0.0.1:${media}"
RemoteNickFormat = "<{NICK}> "
${options.general ?? ""}
[irc.net]
Server = "127.0.0.1:${irc}"
Nick = "rialto"
MessageDelay = 0
${options.irc ?? ""}
[xmpp.net]
Server = "127.0.0.1:${xmpp}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
${options.xmpp ?? ""}
[matrix.net]
Server = "http://127.0.0.1:${matrix}"
Login = "rialto"
Password = "${PASSWORD}"
${options.matrix ?? ""}
[api.writer]
FullEvents = true
Buffer = 10000
[api.reader]
FullEvents = true
Buffer = 10000
[[gateway]]
name = "${GATEWAY}"
enable = true
${bridges.join("\n")}
`;
}
