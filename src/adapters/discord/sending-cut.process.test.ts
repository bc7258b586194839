import { describe, expect, test } from "vitest";
import { bodyOf, doOp, postOf } from "../../../test/contract/ops.ts";
import { messageRef } from "./ids.ts";
import { aFile, ours, outLife, outTown, said } from "./sending.suite.ts";
import type { DiscordTown } from "./town.suite.ts";

const EXECUTE = { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/ } as const;
const POST = { method: "POST", path: /^(?:\/webhooks\/\d+\/[^/]+|\/channels\/\d+\/messages)$/ } as const;

const TEXT = Array.from({ length: 600 }, (_, at) => `word${at}`).join(" ");

/** A long text that answers somebody. */
const answerIn = (
  town: DiscordTown,
  life: Parameters<typeof aFile>[0] & { ref: ReturnType<typeof outLife>["ref"] },
) => {
  const target = messageRef({ thread: null, id: town.alice.say(town.channel, "a question").id });
  const excerpt = "a long question that is quoted here in some words and more words";
  return postOf(life.ref, TEXT, { reply: { target, name: "Alice", excerpt } });
};

const wordsIn = (town: DiscordTown): readonly string[] =>
  said(ours(town))
    .join(" ")
    .match(/word\d+/g) ?? [];

/** What meets the nth post. */
function meetNth({ server: { faults } }: DiscordTown, nth: number, meet: () => void): void {
  const own = faults.meet.bind(faults);
  let met = 0;
  faults.meet = (method, path) => {
    if (method === "POST" && POST.path.test(path) && (met += 1) === nth) meet();
    return own(method, path);
  };
}

describe("a post of several messages has all its words once", () => {
  test.each([
    ["the bot", true],
    ["a webhook", false],
  ] as const)("when %s says the rest of it", async (_, begins) => {
    const town = await outTown();
    const hook = outLife(town);
    const bot = outLife(town, { settings: { AutoWebhooks: false } });
    const [first, second] = begins ? [hook, bot] : [bot, hook];
    const op = answerIn(town, first);
    meetNth(town, 2, () => town.server.faults.limit(POST, 0.05));
    const tried = await doOp(first, op);
    expect(tried.outcome).toMatchObject({ is: "deferred" });
    await doUntilDelivered(second, { ...op, attempt: 2, resume: tried.attempt.confirmed.at(-1) ?? null });
    expect(wordsIn(town)).toEqual(TEXT.split(" "));
  });

  test.each([
    ["the bot", true],
    ["a webhook", false],
  ] as const)("when %s says the rest of it, and the answer of the first was lost", async (_, begins) => {
    const town = await outTown();
    const hook = outLife(town);
    const op = answerIn(town, hook);
    const bot = { AutoWebhooks: false };
    const first = begins ? hook : outLife(town, { settings: bot });
    town.server.faults.loseAnswer(POST);
    expect((await doOp(first, op)).outcome.is).toBe("unknown");
    const second = outLife(town, { before: first, ...(begins && { settings: bot }) });
    expect((await doOp(second, { ...op, attempt: 2 })).outcome.is).toBe("delivered");
    expect(wordsIn(town)).toEqual(TEXT.split(" "));
  });

  test("when the bot says the rest of it in the same try", async () => {
    const town = await outTown();
    const life = outLife(town);
    const json = { code: 50_035, message: "Invalid Form Body" };
    meetNth(town, 2, () => town.server.faults.answer(EXECUTE, { status: 400, json }));
    expect((await doOp(life, answerIn(town, life))).outcome).toMatchObject({ is: "delivered" });
    expect(wordsIn(town)).toEqual(TEXT.split(" "));
  });

  test("and the link to a file that turned out to be too large, whatever the next try knows", async () => {
    const town = await outTown();
    const life = outLife(town);
    const text = "y".repeat(1_990);
    const file = { ...aFile(life, "a.txt", 3_000), url: "https://media.example/a" };
    const op = postOf(life.ref, text, { body: bodyOf(text, [file]) });
    const tooLarge = { status: 413, json: { code: 40_005, message: "Request entity too large" } };
    town.server.faults.answer(EXECUTE, tooLarge);
    meetNth(town, 3, () => town.server.faults.limit(EXECUTE, 0.05));
    meetNth(town, 4, () => town.server.faults.answer(EXECUTE, tooLarge));
    const tried = await doOp(life, op);
    expect(tried.outcome).toMatchObject({ is: "deferred" });
    await doUntilDelivered(life, { ...op, attempt: 2, resume: tried.attempt.confirmed.at(-1) ?? null });
    expect(said(ours(town))).toEqual([text, "a.txt: https://media.example/a"]);
  });

  test("and the line on a file that does not go, for which its last message has no room", async () => {
    const town = await outTown();
    const life = outLife(town);
    const texts = ["a".repeat(1_900), "b".repeat(1_960)];
    const file = { ...aFile(life, "a.txt", 3_000), url: `https://media.example/${"x".repeat(60)}` };
    life.host.files.clear();
    const body = bodyOf(texts.join("\n\n"), [file], "markdown");
    const { outcome } = await doOp(life, postOf(life.ref, "", { body }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    const all = said(ours(town)).join("");
    expect(all.replaceAll(/\s/g, "")).toBe(`${texts.join("")}a.txt:${file.url}`);
  });
});

/** What a limit holds up is tried again, as the core does. */
async function doUntilDelivered(life: ReturnType<typeof outLife>, op: ReturnType<typeof postOf>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { outcome } = await doOp(life, op);
    if (outcome.is === "delivered") return;
    expect(tries).toBeLessThan(1_000);
    expect(outcome).toMatchObject({ is: "deferred" });
  }
}
