import { expect, test } from "vitest";
import { figures, numbered, say, Town, whole } from "./town.ts";

const COUNT = 20;
const WORDS = numbered("ours", COUNT);

/** Each server says in one of these when to try again. */
const REFUSALS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["Retry-After", { "Retry-After": "1" }],
  ["X-RateLimit-Reset", { "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1" }],
];

test.each(REFUSALS)("posts are refused as too many (%s): others go on, and nothing is lost", async (name, headers) => {
  const town = await Town.start(2);
  const [tight, free] = town.sides;
  if (tight === undefined || free === undefined) throw new Error("there are two servers");
  const refusal = { status: 429, headers: { ...headers, "content-type": "text/plain" }, bytes: "limit exceeded\n" };
  tight.server.faults.answer({ method: "POST", path: "/posts" }, refusal, Infinity);
  for (const text of WORDS) await town.post(text);
  // While nothing goes there, all else does.
  await town.hear("from the tight one", tight);
  await town.until(() => town.heard("from the tight one").length === 1, "what is said there");
  await town.until(() => town.shown(free).includes("ours 20"), "what goes elsewhere");
  await town.until(() => town.shown(free).includes("from the tight one"), "what goes from there to elsewhere");
  const before = figures(WORDS, town.shown(tight));
  tight.server.faults.clear();
  await town.fence("after");
  const found = { before, tight: figures(WORDS, town.shown(tight)), free: figures(WORDS, town.shown(free)) };
  say(`posts are refused as too many (${name})`, found);
  expect(found).toEqual({
    before: { ...whole(COUNT), lost: COUNT },
    tight: whole(COUNT),
    free: whole(COUNT),
  });
});

test("everything is refused as too many, also a new login: nothing is lost either way", async () => {
  const town = await Town.start();
  const { server } = town.side;
  const theirs = numbered("theirs", COUNT);
  server.faults.limit({}, 1, Infinity);
  server.sockets.terminate();
  const before = server.requests.length;
  for (const [at, text] of WORDS.entries()) {
    await town.post(text);
    await town.hear(theirs[at] ?? "");
  }
  await town.until(() => server.requests.length >= before + 3, "three refused requests");
  server.faults.clear();
  await town.fence("after");
  const told = town.told().map(({ text }) => text);
  const found = { ours: figures(WORDS, town.shown()), theirs: figures(theirs, told) };
  say("everything is refused as too many", found);
  expect(found).toEqual({ ours: whole(COUNT), theirs: whole(COUNT) });
});

test("a server that lets ten requests through in a second, and a burst of three: nothing is lost", async () => {
  const town = await Town.start();
  const { server } = town.side;
  server.faults.limiter(10, 3);
  for (const text of WORDS) await town.post(text);
  await town.until(() => town.shown().includes("ours 20"), "the last one");
  server.faults.clear();
  await town.fence("after");
  const found = figures(WORDS, town.shown());
  say("ten requests in a second", found);
  expect(found).toEqual(whole(COUNT));
});
