import { type Network, NETWORKS, type Place, type Shared, type Sight } from "./place.ts";
import { holds, SAYINGS, wordOf } from "./things.ts";

/** The conversation: everybody says and does everything that their network has. */

/** Emojis of reactions, so that those of one network are not those of another. */
export const EMOJIS: Readonly<Record<Network, string>> = {
  irc: "👍",
  xmpp: "🎉",
  matrix: "🚀",
  mattermost: "🍇",
  discord: "🎸",
  slack: "🎈",
  telegram: "🔥",
  web: "🌊",
  api: "❤️",
};
export const CHEERS: Readonly<Record<Network, string>> = {
  irc: "🍎",
  xmpp: "🍐",
  matrix: "🍋",
  mattermost: "🍉",
  discord: "🎷",
  slack: "🎺",
  telegram: "👏",
  web: "🥝",
  api: "🍒",
};

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

export const pictureOf = (word: string): Shared => ({ name: `${word}.png`, mime: "image/png", content: PIXEL });
export const fileOf = (word: string): Shared => ({
  name: `${word}.txt`,
  mime: "text/plain",
  content: Buffer.from(`the file ${word}\n`),
});

/** Pictures have no names on Telegram. */
export const hiddenOf = (word: string, from: Network): Shared =>
  from === "telegram" ? { name: `${word}.mp4`, mime: "video/mp4", content: PIXEL } : pictureOf(word);

export type Places = Readonly<Record<Network, Place>>;
/** Resolves once everybody else has seen the words. */
export type Await = (from: Network, words: string) => Promise<void>;

/** The messages that hold a word, as a person has seen them; of edits and such only what came first. */
export function copies(sights: readonly Sight[], word: string): readonly Sight[] {
  return sights.filter(({ kind, text }) => kind === "normal" && holds(text, word));
}

/** Says the same three times, so that only its identity tells which is meant; resolves to the names of all. */
async function thrice(place: Place, word: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push(await place.say(`say ${word}`, "normal"));
  return ids;
}

interface Targets {
  readonly reply: string;
  readonly thread: string;
  readonly edit: string;
  readonly delete: string;
  readonly react: string;
  /** Three messages, the second of which others answer. */
  readonly home: readonly string[];
}

/** Everybody's `Targets.home`. */
export type Homes = ReadonlyMap<Network, readonly string[]>;

export async function play(places: Places, reached: Await): Promise<Homes> {
  const all = Object.values(places);
  const round = async (name: string, act: (place: Place) => Promise<void>): Promise<void> => {
    await Promise.all(
      all.map(async (place) => {
        await act(place);
        const words = wordOf(`fence${name}`, place.network);
        await place.say(words, "normal");
        await reached(place.network, words);
      }),
    );
  };
  const targets = new Map<Network, Targets>();
  await round("one", async (place) => void targets.set(place.network, await sayAll(place)));
  await round("two", async (place) => {
    const mine = targets.get(place.network);
    if (mine !== undefined) await actAll(place, mine);
    await answerAll(place);
  });
  await round("three", async (place) => {
    const { network } = place;
    await place.react?.(targets.get(network)?.react ?? "", EMOJIS[network], false);
    await place.visit?.(visitorOf(network));
    await place.setTopic?.(`about ${wordOf("topic", network)}`);
  });
  return new Map([...targets].map(([network, { home }]) => [network, home]));
}

export const visitorOf = (network: Network): string => `guest${network}`;

async function sayAll(place: Place): Promise<Targets> {
  const { network } = place;
  for (const { thing, style = "normal", written } of SAYINGS) {
    const text = written[network]?.(wordOf(thing, network));
    if (text !== undefined) await place.say(text, style);
  }
  const group = async (thing: string): Promise<string> => (await thrice(place, wordOf(`${thing}ed`, network)))[1] ?? "";
  const targets = {
    reply: await group("reply"),
    thread: place.thread === null ? "" : await group("thread"),
    edit: place.edit === null ? "" : await group("edit"),
    delete: place.erase === null ? "" : await group("delete"),
    react: await group("react"),
    home: await thrice(place, wordOf("home", network)),
  };
  await place.share?.(fileOf(wordOf("file", network)));
  await place.caption?.(pictureOf(wordOf("picture", network)), `look at ${wordOf("picture", network)}`);
  const word = wordOf("files", network);
  await place.hide?.(hiddenOf(wordOf("hidden", network), network));
  await place.shareAll?.([fileOf(word), pictureOf(word)], `both ${word}`);
  return targets;
}

async function actAll(place: Place, targets: Targets): Promise<void> {
  const { network } = place;
  await place.reply?.(`indeed ${wordOf("reply", network)}`, targets.reply);
  await place.thread?.(`moreover ${wordOf("thread", network)}`, targets.thread);
  await place.edit?.(targets.edit, `say ${wordOf("edit", network)}`);
  await place.erase?.(targets.delete);
  await place.react?.(targets.react, EMOJIS[network], true);
}

/** Answers the second of the three messages that came from each other network, and reacts to it. */
async function answerAll(place: Place): Promise<void> {
  for (const other of NETWORKS) {
    if (other === place.network) continue;
    const [, second] = copies(place.sights(), wordOf("home", other));
    const id = second?.ids[0];
    if (id === undefined) continue;
    await place.reply?.(`indeed ${wordOf("answer", place.network, other)}`, id);
    await place.react?.(id, CHEERS[place.network], true);
  }
}
