import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { REAL_NETWORKS, type RealNetwork, type Place } from "../crossing/place.ts";
import { xmppPlace } from "../crossing/xmpp-place.ts";
import { compare, numbered } from "../irc/world.ts";
import { needs } from "../servers/installed.ts";
import { ROOM, startHarness, until, type FidelityHarness } from "./harness.ts";

/** How long a server is away; a minute for the record, less in every run. */
const OUTAGE_MS = Number(process.env["FIDELITY_OUTAGE_S"] ?? 5) * 1000;
/** Waits between tries to connect grow with the outage. */
const RETURN_MS = 90_000 + 2 * OUTAGE_MS;
const TEST_MS = OUTAGE_MS + RETURN_MS + 60_000;
/** Each of the others says so many meanwhile. */
const MEANWHILE = 20;
/** Written on the server itself before we are back: several pages of an archive (50), or of a timeline (100). */
const BEHIND: Readonly<Record<string, number>> = { xmpp: 60, matrix: 210 };

/** Somebody on a network, and what that person has read. */
interface Voice {
  readonly say: (text: string) => Promise<unknown>;
  readonly texts: () => readonly string[];
}

let harness: FidelityHarness;
const voices = new Map<RealNetwork, Voice>();

function voiceOf(place: Place): Voice {
  return {
    say: async (text) => await place.say(text, "normal"),
    texts: () => place.sights().flatMap(({ kind, text }) => (kind === "normal" ? [text] : [])),
  };
}

function voice(network: RealNetwork): Voice {
  const found = voices.get(network);
  if (found === undefined) throw new Error(`nobody is on ${network}`);
  return found;
}

needs(["inspircd", "prosody", "synapse", "python3-irc", "python3-slixmpp", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    harness = await startHarness();
    for (const network of REAL_NETWORKS) voices.set(network, voiceOf(harness.places[network]));
  });
  afterEach(({ task }) => {
    if (task.result?.state === "fail") console.error(`Rialto printed:\n${harness.rialto.output().slice(-6_000)}`);
  });
  afterAll(async () => await harness?.end());

  test("Prosody is away, and people write there before we are back", { timeout: TEST_MS }, async () => {
    harness.xmppProxy.shut();
    await harness.prosody.halt();
    await away("xmpp", async () => {
      await harness.prosody.restart();
      // Whoever was there lost the connection.
      voices.set("xmpp", voiceOf(await xmppPlace(harness.prosody, ROOM)));
    });
    harness.xmppProxy.open();
    await settled("xmpp", "Prosody");
  });

  test("Synapse is away, and people write there before we are back", { timeout: TEST_MS }, async () => {
    harness.matrixProxy.shut();
    harness.matrixProxy.cut();
    await harness.synapse.halt();
    await away("matrix", async () => {
      await harness.synapse.restart();
      voices.set("matrix", await somebodyElse());
    });
    harness.matrixProxy.open();
    await settled("matrix", "Synapse");
  });
});

async function somebodyElse(): Promise<Voice> {
  const room = harness.matrixRoom;
  const client = await harness.nio.person("nell");
  await client.ask("join", { room });
  const bodyOf = (event: Readonly<Record<string, unknown>>): string =>
    event["type"] === "m.room.message" && event["sender"] !== client.id
      ? String((event["content"] as { readonly body?: unknown }).body)
      : "";
  return {
    say: async (body) =>
      await client.ask("send", { room, type: "m.room.message", content: { msgtype: "m.text", body } }),
    texts: () => client.seen.map(({ event }) => bodyOf(event)),
  };
}

const prefixOf = (from: RealNetwork, gone: RealNetwork): string => `without-${gone}-${from}`;
const countOf = (from: RealNetwork, gone: RealNetwork): number => (from === gone ? (BEHIND[gone] ?? 0) : MEANWHILE);

/**
 * People on the others write for as long as the server is away; then somebody writes there, before Rialto can come
 * back.
 */
async function away(gone: RealNetwork, back: () => Promise<void>): Promise<void> {
  const others = REAL_NETWORKS.filter((network) => network !== gone);
  await Promise.all(
    others.map(async (from) => {
      for (const text of numbered(prefixOf(from, gone), MEANWHILE)) {
        await voice(from).say(text);
        await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS / MEANWHILE));
      }
    }),
  );
  await back();
  for (const text of numbered(prefixOf(gone, gone), countOf(gone, gone))) await voice(gone).say(text);
}

/** What a person has read of this outage, in order. */
function read(to: RealNetwork, gone: RealNetwork): readonly string[] {
  return voice(to)
    .texts()
    .flatMap((text) => /without-\w+-\w+ \d+$/u.exec(text)?.[0] ?? [])
    .filter((text) => text.startsWith(`without-${gone}-`));
}

/** Everybody has everything of everybody else, once and in order; and all rooms have it in one order. */
async function settled(gone: RealNetwork, server: string): Promise<void> {
  const begun = performance.now();
  const pairs = REAL_NETWORKS.flatMap((to) =>
    REAL_NETWORKS.filter((from) => from !== to).map((from) => [from, to] as const),
  );
  const missing = (): readonly string[] =>
    pairs.flatMap(([from, to]) => {
      const last = `${prefixOf(from, gone)} ${countOf(from, gone)}`;
      return read(to, gone).includes(last) ? [] : [`"${last}" on ${to}`];
    });
  await until(missing, harness.rialto, RETURN_MS);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const whole = read("api", gone);
  const faults: string[] = [];
  for (const [from, to] of pairs) {
    const wanted = numbered(prefixOf(from, gone), countOf(from, gone));
    const found = compare(wanted, read(to, gone));
    if (found.missing.length + found.doubled.length > 0 || !found.inOrder)
      faults.push(`${from} to ${to}: ${JSON.stringify(found)}`);
  }
  for (const to of REAL_NETWORKS) {
    const foreign = (text: string): boolean =>
      !text.startsWith(prefixOf(to, gone)) && !text.startsWith(prefixOf("api", gone));
    expect(read(to, gone).filter(foreign), `the order on ${to}`).toEqual(whole.filter(foreign));
  }
  const messages = pairs.reduce((sum, [from]) => sum + countOf(from, gone), 0);
  console.log(
    `figures: ${server} away for ${OUTAGE_MS / 1000} s: ${messages} messages in ${REAL_NETWORKS.length} rooms, ${countOf(gone, gone)} of them written there before we ` +
      `were back; ${faults.length} lists with a message missing, doubled or out of order; all there ${seconds} s after we could connect`,
  );
  expect(faults).toEqual([]);
}
