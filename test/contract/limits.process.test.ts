import { expect, test } from "vitest";
import type { PresentationSettings } from "../../src/config/config.ts";
import type { RoomLimits } from "../../src/contract/session.ts";
import { by, harness, personIn, stands, until } from "./crossing.ts";
import { FakeNetwork } from "./fake-network.ts";
import type { FakePerson } from "./fake-person.ts";
import type { Harness } from "./harness.ts";
import { someBytes } from "./shared-file.ts";

interface Narrow {
  readonly made: Harness;
  readonly right: FakeNetwork;
  readonly anna: FakePerson;
}

/** Anna in `one` on the left; what she says goes to `two` on the right, which takes less than its network can do. */
async function narrow(limits: RoomLimits, presentation: Partial<PresentationSettings> = {}): Promise<Narrow> {
  const [left, right] = [new FakeNetwork({ ops: "native" }), new FakeNetwork({ ops: "native", limits })];
  const made = await harness({ left, right }, { g: ["inout left.x one", "inout right.x two"] }, presentation);
  await made.start();
  return { made, right, anna: await personIn(left, "one") };
}

/** Stops it. What was lost, message by message. */
async function losses(made: Harness): Promise<readonly string[]> {
  await made.stop();
  const receipts = await made.receipts("g", "right.x", "two");
  return receipts.flatMap(({ detail }) => {
    const { losses: lost = [] } = JSON.parse(detail) as { losses?: readonly { what: string; note: string }[] };
    return lost.map(({ what, note }) => `${what}: ${note}`);
  });
}

test("what is too long for a room comes in more parts, which are edited and deleted whole", async () => {
  const { made, right, anna } = await narrow({ textMax: 30 });
  const [prefix] = by(anna, [""]);
  const text = "Those who cross the bridge at noon see the whole of the lagoon";
  const message = await anna.write("one", text);
  const parts = (): readonly string[] => right.said("two").map((line) => line.slice(prefix?.length));
  await until(
    () => parts().join(" ") === text,
    () => `all of it; there is ${JSON.stringify(parts())}`,
  );
  expect(right.said("two").every(({ length }) => length <= 30)).toBe(true);
  await anna.edit("one", message, `${text}!`);
  await until(
    () => parts().join(" ") === `${text}!`,
    () => `its edit; there is ${JSON.stringify(parts())}`,
  );
  await anna.erase("one", message);
  await stands(right, "two", []);
  expect(await losses(made)).toEqual([]);
});

test("a file that is too large for a room is named there, and the next one crosses", async () => {
  const { made, right, anna } = await narrow({ fileBytesMax: 2_048 });
  const file = { mime: "application/octet-stream", comment: "" };
  await anna.sendFile("one", { ...file, name: "large.bin", content: someBytes(2_049) });
  await anna.sendFile("one", { ...file, name: "small.bin", content: someBytes(2_048) });
  await stands(right, "two", by(anna, ["(file large.bin, which has no public address)", ""]));
  expect(right.server.room("two").messages.map((message) => message.file?.name)).toEqual([undefined, "small.bin"]);
  expect(await losses(made)).toEqual([
    "file: files of more than 2 KiB are not accepted here",
    "file: large.bin has no address",
  ]);
});

test("where nothing can be edited any more, an edit is said in words, and an answer to them finds the message", async () => {
  const { made, right, anna } = await narrow({ editWithinMs: 0 });
  const message = await anna.write("one", "the quick brown fox");
  await stands(right, "two", by(anna, ["the quick brown fox"]));
  await anna.edit("one", message, "the quick red fox");
  await stands(right, "two", by(anna, ["the quick brown fox", "s/brown/red/"]));
  const ben = await personIn(right, "two");
  const words = right.server.room("two").messages.at(-1)?.ref ?? "";
  await ben.write("two", "is it?", { reply: words });
  await until(
    () => anna.heard("one").some(({ reply }) => reply === message),
    () => `the answer; there is ${JSON.stringify(anna.heard("one"))}`,
  );
  expect(await losses(made)).toEqual(["edit: the message is too old to be edited here; said in a new message"]);
});

test("a reaction that a room does not have is said in its line, beside those that it has", async () => {
  const { right, anna } = await narrow({ reactions: ["👍"] }, { reactionFallback: "line" });
  const message = await anna.write("one", "the news");
  await stands(right, "two", by(anna, ["the news"]));
  await anna.react("one", message, "🎉", true);
  await anna.react("one", message, "👍", true);
  const quiet = `${anna.name.slice(0, 1)}\u200b${anna.name.slice(1)}`;
  await stands(right, "two", [...by(anna, ["the news"]), `🎉 ${quiet}`]);
  const copy = right.server.room("two").messages[0];
  await until(
    () => copy?.reactions.has("👍") === true,
    () => "the other one on the copy",
  );
  expect([...(copy?.reactions.keys() ?? [])]).toEqual(["👍"]);
  await anna.react("one", message, "🎉", false);
  await stands(right, "two", by(anna, ["the news"]));
});
