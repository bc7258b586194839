import { expect, onTestFinished, test } from "vitest";
import { by, online, personIn, stands, until, harness } from "./crossing.ts";
import { FakeNetwork } from "./fake-network.ts";
import type { FakePerson } from "./fake-person.ts";
import type { FakeMessage } from "./fake-room.ts";
import type { FakeTraits } from "./fake-script.ts";
import { someBytes } from "./shared-file.ts";
import type { Harness } from "./harness.ts";

interface Crossing {
  readonly made: Harness;
  readonly left: FakeNetwork;
  readonly right: FakeNetwork;
  readonly anna: FakePerson;
  readonly ben: FakePerson;
}

/** Anna in `one` on the left, Ben in `two` on the right, and all of it crosses both ways. */
async function crossing(traits: Partial<FakeTraits> = {}): Promise<Crossing> {
  const rich = { ops: "native", ...traits } as const;
  const [left, right] = [new FakeNetwork(rich), new FakeNetwork(rich)];
  const made = await harness({ left, right }, { g: ["inout left.x one", "inout right.x two"] });
  await made.start();
  const [anna, ben] = [await personIn(left, "one"), await personIn(right, "two")];
  return { made, left, right, anna, ben };
}

/** The message of ours in the channel with this text, once it is there. */
async function copyOf(network: FakeNetwork, channel: string, text: string): Promise<FakeMessage> {
  const find = (): FakeMessage | undefined =>
    network.server.room(channel).messages.find((message) => message.text === text && message.key !== null);
  await until(
    () => find() !== undefined,
    () => `"${text}" in ${channel}; there is ${JSON.stringify(network.said(channel))}`,
  );
  return find() as FakeMessage;
}

async function restart(made: Harness): Promise<void> {
  await made.stop();
  await made.start();
  await online(made, "left", "right");
}

async function kill(made: Harness): Promise<void> {
  made.kill();
  await made.start();
  await online(made, "left", "right");
}

test.each([
  ["stop", restart],
  ["kill", kill],
] as const)("after a %s an edit, an answer, a reaction and a deletion find their message", async (_, again) => {
  const { made, right, anna, ben } = await crossing();
  const first = await anna.write("one", "first");
  const second = await anna.write("one", "second");
  await stands(right, "two", by(anna, ["first", "second"]));
  const copies = [
    await copyOf(right, "two", `<${anna.name}> first`),
    await copyOf(right, "two", `<${anna.name}> second`),
  ];
  await made.receiptsDurable("g", "right.x", "two", 2);
  await again(made);
  await anna.edit("one", first, "first, mended");
  await anna.react("one", second, "👍", true);
  await anna.write("one", "an answer", { reply: second });
  const answer = await copyOf(right, "two", `<${anna.name}> an answer`);
  await stands(right, "two", by(anna, ["first, mended", "second", "an answer"]));
  expect([copies[0]?.text, answer.reply]).toEqual([`<${anna.name}> first, mended`, copies[1]?.ref]);
  expect([...(copies[1]?.reactions.keys() ?? [])]).toEqual(["👍"]);
  await anna.react("one", second, "👍", false);
  await anna.erase("one", first);
  await stands(right, "two", by(anna, ["second", "an answer"]));
  await until(
    () => copies[1]?.reactions.size === 0,
    () => "the reaction to go",
  );
  expect(ben.heard("two")).toHaveLength(2);
});

test("an answer to our copy, and a reaction to it, arrive at the original; and so on back", async () => {
  const { left, right, anna, ben } = await crossing();
  const question = await anna.write("one", "who?");
  const copy = await copyOf(right, "two", `<${anna.name}> who?`);
  const me = await ben.write("two", "me", { reply: copy.ref });
  await ben.react("two", copy.ref, "🎉", true);
  const answer = await copyOf(left, "one", `<${ben.name}> me`);
  expect(answer.reply).toBe(question);
  const original = left.server.room("one").byRef(question);
  await until(
    () => original?.reactions.has("🎉") === true,
    () => "the reaction on the original",
  );
  await anna.write("one", "you!", { reply: answer.ref });
  expect((await copyOf(right, "two", `<${anna.name}> you!`)).reply).toBe(me);
});

test("a message in several parts is edited and deleted whole", async () => {
  const { right, anna } = await crossing({ textMax: 40 });
  const text = Array.from({ length: 30 }, (_, at) => `word${at}`).join(" ");
  const message = await anna.write("one", text);
  await until(
    () => right.said("two").length > 4,
    () => "a message in several parts",
  );
  await anna.edit("one", message, "short");
  await stands(right, "two", by(anna, ["short"]));
  await anna.edit("one", message, text);
  await until(
    () => right.said("two").length > 4,
    () => "a message in several parts again",
  );
  await anna.erase("one", message);
  await stands(right, "two", []);
});

test("what is edited while the destination is away arrives as it reads then; what is deleted never does", async () => {
  const { made, right, anna } = await crossing();
  right.refuse("two", { code: "forbidden", message: "members only" }, 50);
  right.kick("two");
  await until(
    () => right.server.room("two").members.size === 0,
    () => "our session to be out",
  );
  const messages = [];
  for (const text of ["one", "two", "three"]) messages.push(await anna.write("one", text));
  await anna.edit("one", messages[0] as string, "one, mended");
  await anna.erase("one", messages[1] as string);
  await until(
    () => made.taken() >= 5,
    () => "all to be in the log",
  );
  right.allow("two");
  await stands(right, "two", by(anna, ["one, mended", "three"]));
  await anna.say("one", "four");
  await stands(right, "two", by(anna, ["one, mended", "three", "four"]));
  const states = (await made.receipts("g", "right.x", "two")).map(({ state }) => state);
  expect(states.filter((state) => state !== "sent").toSorted()).toEqual(["cancelled", "folded", "omitted"]);
});

test("nobody edits or deletes what others said", async () => {
  const { made, left, right, anna, ben } = await crossing();
  const message = await anna.write("one", "the truth");
  const copy = await copyOf(right, "two", `<${anna.name}> the truth`);
  const mallory = await personIn(left, "one");
  await mallory.forge("one", message, "a lie");
  await ben.forge("two", copy.ref, "another lie");
  await mallory.say("one", "next");
  await ben.say("two", "from there");
  await stands(right, "two", [...by(anna, ["the truth"]), ...by(mallory, ["next"])]);
  await stands(left, "one", by(ben, ["from there"]));
  await made.stop();
  expect(
    made.logger.lines.filter(({ fields }) => JSON.stringify(fields["dropped"] ?? {}).includes("foreign")),
  ).toHaveLength(2);
});

test("what was said in one gateway is quoted and taken back in no other, whatever they share", async () => {
  const rich = { ops: "native" } as const;
  const [left, middle, right] = [new FakeNetwork(rich), new FakeNetwork(rich), new FakeNetwork({ ops: "none" })];
  const made = await harness(
    { left, middle, right },
    { g: ["inout left.x one", "inout middle.x two"], h: ["inout middle.x two", "inout right.x three"] },
  );
  await made.start();
  const [anna, ben] = [await personIn(left, "one"), await personIn(middle, "two")];
  await anna.write("one", "between us");
  const copy = await copyOf(middle, "two", `<${anna.name}> between us`);
  await ben.write("two", "indeed", { reply: copy.ref });
  await copyOf(left, "one", `<${ben.name}> indeed`);
  await stands(right, "three", [`<${ben.name}> indeed`]);
  await made.stop();
});

test("two rooms with equal ids are two rooms", async () => {
  const traits = { ops: "native", refsPerRoom: true } as const;
  const [left, right] = [new FakeNetwork(traits), new FakeNetwork(traits)];
  const made = await harness(
    { left, right },
    { g: ["inout left.x one", "inout right.x two"], h: ["inout left.x three", "inout right.x four"] },
  );
  await made.start();
  const [anna, carol] = [await personIn(left, "one"), await personIn(left, "three")];
  const [one, three] = [await anna.write("one", "in one"), await carol.write("three", "in three")];
  expect(one).toBe(three);
  await stands(right, "two", by(anna, ["in one"]));
  await stands(right, "four", by(carol, ["in three"]));
  await carol.edit("three", three, "only three");
  await anna.erase("one", one);
  await stands(right, "four", by(carol, ["only three"]));
  await stands(right, "two", []);
  await stands(right, "four", by(carol, ["only three"]));
});

test("a file crosses whole with its caption, also when its network was away when it was asked for", async () => {
  const { left, right, anna, ben } = await crossing();
  const content = someBytes(100_000);
  const file = { name: "map.bin", mime: "application/octet-stream", content, comment: "the lagoon" };
  await anna.sendFile("one", file);
  left.cut();
  const copy = await copyOf(right, "two", `<${anna.name}> the lagoon`);
  expect(copy.file?.name).toBe("map.bin");
  expect(Buffer.from(await ben.fetch("two", copy.ref)).equals(Buffer.from(content))).toBe(true);
});

test.each([
  ["stopped", async (made: Harness) => await made.stop()],
  ["killed", (made: Harness) => Promise.resolve(made.kill())],
] as const)("what is said while the program is %s arrives once it is back, once and in order", async (_, end) => {
  const { made, right, anna } = await crossing();
  const first = await anna.write("one", "before");
  await stands(right, "two", by(anna, ["before"]));
  await end(made);
  await anna.say("one", "meanwhile");
  await anna.edit("one", first, "long before");
  await anna.say("one", "and more");
  await made.start();
  onTestFinished(() => made.kill());
  await stands(right, "two", by(anna, ["long before", "meanwhile", "and more"]));
  await online(made, "left");
  await anna.say("one", "live");
  await stands(right, "two", by(anna, ["long before", "meanwhile", "and more", "live"]));
});

test("a network that can change nothing gets words, and an answer to them finds the original", async () => {
  const [left, right] = [new FakeNetwork({ ops: "native" }), new FakeNetwork({ textMax: 200 })];
  const made = await harness({ left, right }, { g: ["inout left.x one", "inout right.x two"] });
  await made.start();
  const anna = await personIn(left, "one");
  const message = await anna.write("one", "the quick brown fox");
  await stands(right, "two", by(anna, ["the quick brown fox"]));
  await anna.edit("one", message, "the quick red fox");
  await until(
    () => right.said("two").length === 2,
    () => `an edit in words; there is ${JSON.stringify(right.said("two"))}`,
  );
  const ben = await personIn(right, "two");
  const words = right.server.room("two").messages.at(-1)?.ref ?? "";
  await ben.write("two", "is it?", { reply: words });
  expect((await copyOf(left, "one", `<${ben.name}> is it?`)).reply).toBe(message);
});

test("a channel without reactions has one line for those to a message: it follows them, also after a restart", async () => {
  const rich = { ops: "native" } as const;
  const [left, right] = [new FakeNetwork(rich), new FakeNetwork({ ...rich, without: ["react"] })];
  const gateways = { g: ["inout left.x one", "inout right.x two"] };
  const made = await harness({ left, right }, gateways, { reactionFallback: "line" });
  await made.start();
  const [anna, carl] = [await personIn(left, "one"), await personIn(left, "one")];
  const message = await anna.write("one", "the news");
  const copy = await copyOf(right, "two", `<${anna.name}> the news`);
  const quiet = (name: string): string => `${name.slice(0, 1)}\u200b${name.slice(1)}`;
  const [a, c] = [quiet(anna.name), quiet(carl.name)];
  await anna.react("one", message, "👍", true);
  const line = await copyOf(right, "two", `👍 ${a}`);
  expect(line.reply).toBe(copy.ref);
  await carl.react("one", message, "👍", true);
  await carl.react("one", message, "❤", true);
  await stands(right, "two", [...by(anna, ["the news"]), `👍 ${a}, ${c} · ❤ ${c}`]);
  await restart(made);
  await carl.react("one", message, "👍", false);
  await anna.react("one", message, "👍", false);
  await stands(right, "two", [...by(anna, ["the news"]), `❤ ${c}`]);
  await carl.react("one", message, "❤", false);
  await stands(right, "two", by(anna, ["the news"]));
  await carl.react("one", message, "🎉", true);
  await stands(right, "two", [...by(anna, ["the news"]), `🎉 ${c}`]);
  await anna.erase("one", message);
  await stands(right, "two", []);
});
