import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { TelegramPicture } from "./api.ts";
import { ALICE, aTelegramMessage, BOB, CREW, NEWS } from "./message.suite.ts";
import { TelegramPeople } from "./people.ts";
import type { TelegramFailure, TelegramResult } from "./result.ts";

const failure: TelegramFailure = {
  code: "remote_error",
  why: "refused",
  status: 500,
  description: "",
  message: "in trouble",
  retryAfterMs: null,
  migrateTo: null,
  certain: false,
};

type Answer = TelegramResult<TelegramPicture | null>;
const NONE: Answer = { ok: true, value: null };
const SMILE: Answer = { ok: true, value: { id: "smile", bytes: 160 } };

/** `answers`: by person; undefined: none comes. */
function stage(answers: Record<number, Answer | undefined>, settings = { UseFirstName: false, UseFullName: false }) {
  const clock = new FakeClock();
  const asked: (number | string)[] = [];
  const people = new TelegramPeople({
    clock,
    settings,
    api: {
      picture: async (id) => {
        asked.push(id);
        return await (answers[id] === undefined ? new Promise<never>(() => undefined) : Promise.resolve(answers[id]));
      },
      call: async (method, args) => {
        asked.push(`${method} ${String(args["chat_id"])}`);
        return await Promise.resolve({ ok: true, value: { photo: { small_file_id: "crew" } } });
      },
    },
  });
  return { clock, people, asked, answers };
}

const message = aTelegramMessage({});
const avatarOf = (people: TelegramPeople, of = message): string | undefined =>
  people.author(of).avatar?.ref ?? undefined;

describe("pictures", () => {
  test("are waited for once, and known from then on", async () => {
    const { people, asked } = stage({ 7: SMILE });
    const wait = people.ask(message);
    expect(avatarOf(people)).toBeUndefined();
    await wait;
    expect(avatarOf(people)).toContain("smile");
    expect(people.ask(message)).toBeNull();
    expect(asked).toEqual([7]);
  });

  test("that nobody has are not waited for again, nor asked for on the same day", async () => {
    const { people, asked, clock } = stage({ 7: NONE });
    await people.ask(message);
    await clock.advance(3_600_000);
    expect(people.ask(message)).toBeNull();
    await clock.advance(24 * 3_600_000);
    expect(people.ask(message)).toBeNull();
    await clock.advance(0);
    expect(asked).toEqual([7, 7]);
  });

  test("that do not come in time are left out, and shown later", async () => {
    const { people, clock, answers } = stage({});
    const late = Promise.withResolvers<Answer>();
    Object.defineProperty(answers, 7, { get: () => late.promise });
    let waited = false;
    void people.ask(message)?.then(() => (waited = true));
    await clock.advance(999);
    expect(waited).toBe(false);
    await clock.advance(1);
    expect(waited).toBe(true);
    expect(avatarOf(people)).toBeUndefined();
    late.resolve(SMILE);
    await clock.advance(0);
    expect(avatarOf(people)).toContain("smile");
    expect(people.ask(message)).toBeNull();
  });

  test("are looked for again after a day, and the one before is shown until then", async () => {
    const { people, clock, answers } = stage({ 7: SMILE });
    await people.ask(message);
    await clock.advance(24 * 3_600_000);
    answers[7] = { ok: true, value: { id: "frown", bytes: null } };
    expect(people.ask(message)).toBeNull();
    expect(avatarOf(people)).toContain("smile");
    await clock.advance(0);
    expect(avatarOf(people)).toContain("frown");
  });

  test("are asked for no more while the server wants none to be", async () => {
    const { people, clock, asked } = stage({
      7: { ok: false, failure: { ...failure, status: 429, retryAfterMs: 5_000 } },
      8: SMILE,
    });
    await people.ask(message);
    const other = aTelegramMessage({ from: BOB });
    expect(people.ask(other)).toBeNull();
    await clock.advance(5_000);
    await people.ask(other);
    expect(asked).toEqual([7, 8]);
    expect(avatarOf(people, other)).toContain("smile");
  });

  test("are asked for of few at once", () => {
    const { people } = stage({});
    const waits = Array.from({ length: 40 }, (_, at) =>
      people.ask(aTelegramMessage({ from: { ...BOB, id: 100 + at } })),
    );
    expect(waits.filter((wait) => wait !== null).length).toBeLessThan(10);
  });

  test("of chats that speak are theirs", async () => {
    const { people, asked } = stage({});
    const hidden = aTelegramMessage({ sender_chat: CREW, author_signature: "captain" });
    await people.ask(hidden);
    expect(asked).toEqual(["getChat -1001"]);
    expect(avatarOf(people, hidden)).toContain("crew");
  });
});

describe("names", () => {
  const first = { UseFirstName: true, UseFullName: false };
  const full = { UseFirstName: true, UseFullName: true };
  test.each([
    ["a username", {}, undefined, "alice"],
    ["no username", { from: BOB }, undefined, "Bob"],
    ["no username but two names", { from: { ...ALICE, username: "" } }, undefined, "Alice Liddell"],
    ["the first name", {}, first, "Alice"],
    ["the full name", {}, full, "Alice Liddell"],
    ["one that breaks lines", { from: { ...BOB, first_name: "B\no\u202eb" } }, full, "B o b"],
    ["nothing", { from: { id: 9 } }, undefined, "somebody"],
    ["far too much", { from: { ...BOB, first_name: "x".repeat(500) } }, undefined, "x".repeat(80)],
    ["a channel", { chat: NEWS, from: undefined }, undefined, "News"],
    ["a channel that signs", { sender_chat: NEWS, author_signature: "Eve" }, undefined, "Eve (News)"],
    ["a hidden administrator", { sender_chat: CREW, from: BOB }, undefined, "Crew"],
  ])("of %s", (_, more, settings, name) => {
    expect(stage({}, settings).people.author(aTelegramMessage(more)).name).toBe(name);
  });

  test("lead to people who have spoken in the chat", () => {
    const { people } = stage({});
    const { from } = message;
    if (from === null) throw new Error("nobody says it");
    people.note(-1_001, from);
    expect(["alice", "ALICE", "alice liddell", "bob"].map((name) => people.idOf(-1_001, name))).toEqual([
      7,
      7,
      7,
      null,
    ]);
    expect(people.idOf(-1_002, "alice")).toBeNull();
  });

  test("that have changed are told", () => {
    const { people } = stage({});
    const { from } = message;
    if (from === null) throw new Error("nobody says it");
    expect(people.met(from)).toBeNull();
    expect(people.met({ ...from, lastName: "Hargreaves" })).toBeNull();
    expect(people.met({ ...from, username: "ally" })?.name).toBe("alice");
    expect(people.met({ ...from, username: "ally" })).toBeNull();
  });
});
