import { describeAnswers, type LostAnswer } from "../hosted/answers.ts";
import type { Town } from "../hosted/town.ts";
import { slack, type SlackSide } from "./town.ts";

/** Two files of one message. */
const FILES = ["a.txt", "b.txt"].map((Name) => ({ Name, Data: Buffer.from(`content of ${Name}`).toString("base64") }));

/** The requests of which one loses its answer; the message stands once, with its files. */
const STEPS: readonly (readonly [string, RegExp])[] = [
  ["a place for a file", /^\/files\.getUploadURLExternal$/u],
  ["the bytes of a file", /^\/upload\/v1\//u],
  ["putting files into the channel", /^\/files\.completeUploadExternal$/u],
  ["where files were put", /^\/files\.info$/u],
];

describeAnswers(slack, [
  ...STEPS.map(([what, path]): LostAnswer<SlackSide> => ({
    what: `to ${what}`,
    lose: async (town) => await lose(town, path),
    judge: (town, unconfirmed) => {
      const files = town.side.standing().flatMap(({ files }) => (files > 0 ? [files] : []));
      // Messages with files cannot have another name: it stands before the text.
      const texts = town.shown().filter((text) => /^(?:anna: )?two files$/u.test(text)).length;
      return { found: { texts, files, unconfirmed }, wanted: { texts: 1, files: [2], unconfirmed: 0 } };
    },
  })),
  {
    what: "where files were put is told late, and the message is edited and deleted",
    lives: "one",
    lose: learnLate,
    judge: (_, unconfirmed) => ({ found: { unconfirmed }, wanted: { unconfirmed: 0 } }),
  },
]);

async function lose(town: Town<SlackSide>, path: RegExp): Promise<void> {
  const { faults, hub, requests } = town.side.server;
  faults.loseAnswer({ path });
  // Where files are is asked only where no event tells it.
  hub.dropped.add("message");
  await town.post("two files", { Extra: { file: FILES } });
  const isAsked = (one: string): boolean => path.test(one.split(" ")[1] ?? "");
  await town.until(() => requests.some(isAsked), `the request for ${String(path)}`);
  hub.dropped.clear();
}

async function learnLate(town: Town<SlackSide>): Promise<void> {
  const { files, hub } = town.side.server;
  files.lateShares = 2;
  hub.dropped.add("message");
  const id = await town.post("two files", { Extra: { file: FILES } });
  await town.until(() => files.lateShares === 0, "that it is asked where they are");
  hub.dropped.clear();
  const edited = (): boolean => town.shown().some((text) => text.endsWith("two files, edited"));
  await town.edit(id, "two files, edited");
  await town.until(edited, "the edit");
  await town.erase(id);
  await town.until(() => !edited(), "the deletion");
}
