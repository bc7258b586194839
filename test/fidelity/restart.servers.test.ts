import { afterAll, beforeAll, expect, test } from "vitest";
import { REAL_NETWORKS, type RealNetwork, type Place, type Sight } from "../crossing/place.ts";
import { holds, wordOf } from "../crossing/things.ts";
import { needs } from "../servers/installed.ts";
import { apiFiler, type Filer, matrixFiler, xmppFiler, xmppPerson } from "./filers.ts";
import { copies, fence, startHarness, type FidelityHarness } from "./harness.ts";

/** What is done to a message after the restart. */
type Act = "edit" | "reply" | "delete";

/** A message that was said before the restart, among others that look the same. */
interface Target {
  readonly by: () => Pick<Place, "edit" | "reply" | "erase">;
  readonly from: RealNetwork;
  readonly act: Act;
  readonly what: "text" | "long" | "file";
  /** Which of those with the same word it is; counted from 0. */
  readonly at: number;
  readonly word: string;
  /** Its name where it was said. */
  readonly id: string;
}

/** More than one part everywhere: Matrix takes 16 KiB, XMPP 5000 characters. */
const LONG_WORDS = 3_000;
const EQUAL = 3;

const STOPS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["SIGTERM", async () => await harness.rialto.stop()],
  ["SIGKILL", async () => await harness.rialto.kill9()],
];

let harness: FidelityHarness;
let filers: readonly Filer[];
let onEnd = async (): Promise<void> => undefined;

needs(["inspircd", "prosody", "synapse", "python3-irc", "python3-slixmpp", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    // Files on servers of this machine are fetched.
    harness = await startHarness({ general: "MediaAllowPrivate = true", irc: 'DeleteFallback = "note"' });
    const xara = await xmppPerson(harness.prosody, "xara");
    onEnd = async () => await xara.quit();
    const writer = apiFiler(() => harness.rialto.client("writer"));
    filers = [writer, await matrixFiler(harness.nio, harness.matrixRoom), xmppFiler(xara)];
  });
  afterAll(async () => {
    await onEnd();
    await harness?.end();
  });

  test.each(STOPS)("%s between a message and its edit, its reply and its deletion", async (name, stop) => {
    const said = REAL_NETWORKS.map(async (from) => await sayAll(from, harness.places[from], name));
    const targets = (await Promise.all([...said, ...filers.map(async (filer) => await shareAll(filer, name))])).flat();
    await fence(harness, `before${name}`);
    const before = new Map(
      targets.flatMap((target) => REAL_NETWORKS.map((to) => [keyOf(target, to), messageOf(target, to)] as const)),
    );
    const seen = new Map(REAL_NETWORKS.map((to) => [to, harness.places[to].sights().length]));
    await stop();
    await harness.again();
    for (const target of targets) await act(target);
    await fence(harness, `after${name}`);
    const wrong: string[] = [];
    let right = 0;
    for (const to of REAL_NETWORKS) {
      const fresh = harness.places[to].sights().slice(seen.get(to));
      for (const target of targets) {
        if (target.from === to) continue;
        const found = outcome(target, to, fresh, before);
        if (found === "right") right += 1;
        else wrong.push(`${target.act} of a ${target.what}, ${target.from} to ${to}: ${found}`);
      }
    }
    console.log(`figures: ${name} between: ${right} of ${right + wrong.length} acts landed on the right message`);
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(0);
  });
});

/** Says the same three times for each act that the network has; the second one is meant. */
async function sayAll(from: RealNetwork, place: Place, round: string): Promise<readonly Target[]> {
  const targets: Target[] = [];
  // The place of the API is another one in each life.
  const by = (): Place => harness.places[from];
  const acts: readonly Act[] = place.edit === null ? ["reply"] : ["edit", "reply", "delete"];
  for (const act of acts) {
    const word = wordOf(`${act}${round}`, from);
    const ids: string[] = [];
    for (let count = 0; count < EQUAL; count += 1) ids.push(await place.say(`say ${word}`, "normal"));
    targets.push({ by, from, act, what: "text", at: 1, word, id: ids[1] ?? "" });
  }
  if (from === "api") {
    for (const act of ["edit", "delete"] as const) {
      const word = wordOf(`${act}${round}long`, from);
      const id = await place.say(`${word} `.repeat(LONG_WORDS).trimEnd(), "normal");
      targets.push({ by, from, act, what: "long", at: 0, word, id });
    }
  }
  return targets;
}

async function shareAll(filer: Filer, round: string): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const act of ["reply", "delete"] as const) {
    const word = wordOf(`${act}${round}file`, filer.network);
    targets.push({ by: () => filer, from: filer.network, act, what: "file", at: 0, word, id: await filer.share(word) });
  }
  return targets;
}

const newWord = ({ act: deed, what, word }: Target): string => (deed === "delete" ? word : `${what}new${word}`);

async function act(target: Target): Promise<void> {
  const { act: deed, id } = target;
  const by = target.by();
  const words = `now ${newWord(target)}`;
  if (deed === "edit") await by.edit?.(id, words);
  else if (deed === "reply") await by.reply?.(words, id);
  else await by.erase?.(id);
}

const keyOf = ({ from, word }: Target, to: RealNetwork): string => `${from} ${to} ${word}`;

/** All names that the message has on a network: of each of its parts. */
function messageOf({ word, what, at, from }: Target, to: RealNetwork): readonly (readonly string[])[] {
  const all = copies(harness.places[to].sights(), word);
  // A reader of the API sees the files of one message one by one.
  if (what !== "text")
    return all
      .map(({ ids }) => ids)
      .filter(([id], index, every) => to !== "api" || every.findIndex(([other]) => other === id) === index);
  if (from !== to && all.length !== EQUAL) throw new Error(`"${word}" came ${all.length} times to ${to}`);
  const one = all[at];
  return one === undefined ? [] : [one.ids];
}

/** "right", or what was seen instead. */
function outcome(
  target: Target,
  to: RealNetwork,
  fresh: readonly Sight[],
  before: ReadonlyMap<string, readonly (readonly string[])[]>,
): string {
  const { act: deed, what, word } = target;
  const parts = before.get(keyOf(target, to)) ?? [];
  const hits = (sight: Sight): boolean =>
    sight.target !== null && parts.some((ids) => ids.includes(sight.target ?? ""));
  const named = fresh.filter(({ text, kind }) => kind !== "delete" && holds(text, newWord(target)));
  const shown = JSON.stringify({
    parts,
    named: named.map(({ kind, text, target: aim }) => [kind, text.slice(0, 80), aim]),
  });
  if (deed === "reply") return named.length === 1 && named.every(hits) ? "right" : shown;
  if (to === "irc") return named.length === 1 ? "right" : shown;
  const deleted = fresh.filter((sight) => sight.kind === "delete" && hits(sight));
  if (deed === "delete")
    return deleted.length === parts.length && parts.length > 0 ? "right" : `deleted ${deleted.length}: ${shown}`;
  const edits = named.filter(({ kind }) => kind === "edit");
  const isWhole = what === "text" ? deleted.length === 0 : to === "api" || deleted.length === parts.length - 1;
  return named.length === 1 && edits.length === 1 && edits.every(hits) && isWhole
    ? "right"
    : `deleted ${deleted.length}: ${shown}; ${word}`;
}
