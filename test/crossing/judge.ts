import {
  NAMES,
  type Network,
  NETWORKS,
  type Place,
  type Reader,
  type Shared,
  type Sight,
  type SightKind,
  shownName,
} from "./place.ts";
import { CHEERS, copies, EMOJIS, fileOf, hiddenOf, type Homes, pictureOf, visitorOf } from "./play.ts";
import type { Stage } from "./stage.ts";
import { DEEDS, type DeedName, holds, SAYINGS, wordOf } from "./things.ts";
import {
  type Act,
  type Judged,
  judgeAct,
  judgeFiles,
  judgeNews,
  judgeSaying,
  linksIn,
  type Verdict,
} from "./verdict.ts";
import { download } from "./xmpp-place.ts";

const READERS: readonly Reader[] = [...NETWORKS, "plain"];

/** One thing on one way; null: it cannot be said where it would come from. */
export interface Cell {
  readonly thing: string;
  readonly from: Network;
  readonly to: Reader;
  readonly verdict: Verdict | null;
  readonly faults: readonly string[];
}

/** All ways of all things, from what everybody has seen. */
export async function judgeAll(
  { places, plain }: Pick<Stage, "places" | "plain">,
  homes: Homes,
): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const to of READERS) {
    const sights = to === "plain" ? plain() : places[to].sights();
    for (const from of NETWORKS) {
      if (from === to && to !== "api") continue;
      const home = to === "plain" ? [] : (homes.get(to) ?? []);
      const way: Way = { from, to, sights, place: places[from], home };
      for (const saying of SAYINGS) cells.push({ thing: saying.thing, from, to, ...judgeOne(way, saying) });
      for (const { thing } of DEEDS) {
        const judged = isPossible(way, thing) ? await judgeDeed(way, thing) : NEVER;
        cells.push({ thing, from, to, ...judged });
      }
    }
  }
  return cells;
}

interface Way {
  readonly from: Network;
  readonly to: Reader;
  readonly sights: readonly Sight[];
  readonly place: Place;
  /** Three messages of the reader. */
  readonly home: readonly string[];
}

const NEVER = { verdict: null, faults: [] };

function judgeOne(
  { from, to, sights }: Way,
  { thing, bare, written }: (typeof SAYINGS)[number],
): Judged | typeof NEVER {
  if (written[from] === undefined) return NEVER;
  const word = wordOf(thing, from);
  const me = to === "plain" ? NAMES.api : NAMES[to];
  return judgeSaying({ thing, word, bare: bare(word), author: shownName(from) }, to, sights, me);
}

/** What each deed needs of the network where it is done. */
const NEEDS: Readonly<Record<DeedName, keyof Place>> = {
  reply: "reply",
  answer: "reply",
  thread: "thread",
  edit: "edit",
  delete: "erase",
  react: "react",
  cheer: "react",
  unreact: "react",
  file: "share",
  picture: "caption",
  files: "shareAll",
  hidden: "hide",
  join: "visit",
  leave: "visit",
  topic: "setTopic",
};

function isPossible({ from, to, place }: Way, thing: DeedName): boolean {
  const isOwn = from === to || to === "plain";
  return (place[NEEDS[thing]] ?? null) !== null && !(isOwn && (thing === "answer" || thing === "cheer"));
}

async function judgeDeed(way: Way, thing: DeedName): Promise<Judged> {
  const { from, to, sights } = way;
  const word = wordOf(thing, from);
  switch (thing) {
    case "reply":
      return act(way, { thing, kind: "normal", bare: `indeed ${word}`, about: "replyed" });
    case "thread":
      return act(way, { thing, kind: "normal", bare: `moreover ${word}`, about: "threaded" });
    case "edit":
      return act(way, { thing, kind: "edit", bare: `say ${word}`, about: "edited" });
    case "delete":
      return act(way, { thing, kind: "delete", about: "deleteed" });
    case "react":
      return act(way, { thing, kind: "reaction", about: "reacted", emoji: EMOJIS[from] });
    case "unreact":
      return act(way, { thing, kind: "unreaction", about: "reacted" });
    case "answer":
    case "cheer":
      return toReader(way, thing);
    case "file":
      return await files(way, thing, [fileOf(word)]);
    case "picture":
      return await files(way, thing, [pictureOf(word)]);
    case "files":
      return await files(way, thing, [fileOf(word), pictureOf(word)]);
    case "hidden":
      return await hidden(way, [hiddenOf(word, from)]);
    case "join":
    case "leave":
      return judgeNews(thing, { word: visitorOf(from), author: shownName(from, visitorOf(from)) }, to, sights);
    case "topic":
      return judgeNews(thing, { word, author: shownName(from) }, to, sights);
  }
}

interface Doing {
  readonly thing: DeedName;
  readonly kind: SightKind;
  readonly bare?: string;
  /** The group of three messages, the second of which it is about. */
  readonly about: string;
  readonly emoji?: string;
}

function act({ from, to, sights }: Way, { thing, kind, bare = "", about, emoji = "" }: Doing): Judged {
  const alike = copies(sights, wordOf(about, from)).slice(0, 3);
  const one = { thing, word: wordOf(thing, from), bare, author: shownName(from), kind, emoji };
  return judgeAct({ ...one, ...idsOf(alike) }, to, sights);
}

function idsOf(alike: readonly Sight[]): Pick<Act, "target" | "alike"> {
  return { target: alike[1]?.ids ?? [], alike: alike.flatMap(({ ids }) => ids) };
}

/** About the second of the three messages that the reader wrote. */
function toReader({ from, to, sights, home }: Way, thing: "answer" | "cheer"): Judged {
  const word = wordOf(thing, from, to === "plain" ? "" : to);
  const target = home.slice(1, 2);
  const one = { thing, word, bare: `indeed ${word}`, author: shownName(from), target, alike: home };
  if (thing === "answer") return judgeAct({ ...one, kind: "normal", emoji: "" }, to, sights);
  return judgeAct({ ...one, kind: "reaction", emoji: CHEERS[from] }, to, sights);
}

/** No reader sees it in the open. */
async function hidden(way: Way, sent: readonly Shared[]): Promise<Judged> {
  const { verdict, faults } = await files(way, "hidden", sent);
  const word = wordOf("hidden", way.from);
  const open = way.sights.filter(({ file }) => file !== null && holds(file.name, word) && file.hidden !== true);
  return { verdict, faults: [...faults, ...open.map(() => "the picture is open")] };
}

/** Whatever the reader can fetch has to be what was sent. */
async function files({ from, to, sights }: Way, thing: DeedName, sent: readonly Shared[]): Promise<Judged> {
  const word = wordOf(thing, from);
  const { verdict, faults } = judgeFiles({ thing, word, bare: "", author: shownName(from) }, to, sights, sent.length);
  const native = sights.flatMap(({ file }) => (file === null ? [] : [file]));
  const links = linksIn(word, sights);
  const wrong: string[] = [];
  for (const { name, content } of sent) {
    const link = links.find((one) => one.endsWith(`/${name}`));
    const fetch =
      native.find((file) => file.name === name || file.name === `SPOILER_${name}`)?.fetch ??
      (link === undefined ? null : async () => await download(link));
    if (fetch === null) wrong.push(`${name} cannot be fetched`);
    else if (!Buffer.from(content).equals(await fetch())) wrong.push(`${name} holds something else`);
  }
  return { verdict, faults: [...faults, ...wrong] };
}
