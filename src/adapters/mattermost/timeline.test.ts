import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Cursor } from "../../contract/ids.ts";
import { EventIntake } from "../kit/intake.ts";
import type { RestFailure } from "../kit/rest.ts";
import type { MattermostResult, WhichPosts } from "./api.ts";
import { userRef } from "./ids.ts";
import type { MattermostPost } from "./model.ts";
import { MattermostPositions } from "./positions.ts";
import { aPost } from "./post.suite.ts";
import type { OpenedEvent, ReadEvent } from "./reader.ts";
import { toEvent } from "./receive.ts";
import { type MattermostEvent, TIME } from "./stream.ts";
import { MattermostTimeline } from "./timeline.ts";

const context = {
  me: "rialto",
  author: (user: string) => ({ id: userRef(user), identity: null, name: user, avatar: null }),
  isBot: () => false,
  opOf: () => null,
  emoji: (name: string) => name,
};

/** Opens events that hold a post; `bad`: what the reader has a fault with, `asks`: who has to be asked for. */
function openPost({ data }: MattermostEvent, ask: () => Promise<void>): OpenedEvent {
  const post = aPost(data);
  const read = (): ReadEvent => {
    if (post.message === "bad") throw new Error("a fault");
    const event = toEvent(post, context);
    return { events: event === null ? [] : [event], atMs: post.updateAt, thread: false };
  };
  return { ask: post.message.startsWith("asks") ? ask : null, read };
}

function timelineOf(since: object | null, { resumed = false } = {}) {
  const host = new RecordingHost();
  const positions = new MattermostPositions(since === null ? null : (JSON.stringify(since) as Cursor), "token");
  const unreadable: string[] = [];
  const after = { failure: (): void => undefined };
  const asked: WhichPosts[] = [];
  const others: string[] = [];
  const asking = Promise.withResolvers<void>();
  /** What the server has; null: it answers with a failure. */
  const history: { posts: readonly MattermostPost[] | null; people: RestFailure | null } = { posts: [], people: null };
  const posts = async (_: string, which: WhichPosts): Promise<MattermostResult<readonly MattermostPost[]>> => {
    asked.push(which);
    return await Promise.resolve(history.posts === null ? FAILED : { ok: true, value: history.posts });
  };
  const timeline = new MattermostTimeline({
    api: { posts },
    host,
    intake: new EventIntake({ host, cursor: positions, lateMs: 0, waitingMax: 100, onFull: () => undefined }),
    positions,
    people: { changed: () => null, author: context.author },
    reader: {
      channelOf: ({ event, channel }) => (event === "posted" ? channel : null),
      open: (event) => openPost(event, async () => await asking.promise),
      learn: async () => await Promise.resolve(history.people),
      told: () => undefined,
      isOursToDelete: () => false,
      context,
    },
    resumed,
    onOther: ({ event }) => others.push(event),
    onUnreadable: (id) => {
      unreadable.push(id);
      after.failure();
    },
    onFull: () => undefined,
  });
  return { host, positions, timeline, unreadable, after, asked, others, asking, history };
}

const failureWith = (status: number): RestFailure => ({
  status,
  headers: {},
  body: null,
  why: "refused",
  message: `HTTP ${status}`,
  retryAfterMs: null,
  certain: false,
});
const FAILED: MattermostResult<never> = { ok: false, failure: failureWith(503) };

const posted = (id: string, given: object = {}): MattermostEvent => ({
  event: "posted",
  data: { id, message: id, ...given },
  channel: "town",
  user: "",
  behind: null,
});

const timeIs = (atMs: number): MattermostEvent => ({
  event: TIME,
  data: { atMs },
  channel: "",
  user: "",
  behind: null,
});

const texts = ({ posted: all }: RecordingHost): readonly string[] => all.map(({ body }) => body.source.text);

const told = async (host: RecordingHost, count: number): Promise<void> =>
  void (await eventually(
    async () => await Promise.resolve(texts(host)),
    ({ length }) => length >= count,
    () => `${count} posts; had ${JSON.stringify(texts(host))}`,
  ));

const here = { id: "town", lastPostAt: 0 };
const cursor = { at: 100_000, channels: { town: [0] } };

describe("a channel's history", () => {
  test("that fails before the channel is joined is read once it is", async () => {
    const { host, timeline, unreadable, history } = timelineOf(cursor, { resumed: true });
    history.posts = null;
    timeline.missed();
    await eventually(
      async () => await Promise.resolve(unreadable.length),
      (count) => count === 1,
      () => "the failure",
    );
    history.posts = [aPost({ id: "gap", message: "missed", create_at: 110_000, update_at: 110_000 })];
    timeline.enter(here);
    await told(host, 1);
    expect(texts(host)).toEqual(["missed"]);
  });

  test("is told without names when people cannot be looked up for good, and not for a limit", async () => {
    const { host, timeline, unreadable, after, history } = timelineOf(cursor);
    history.posts = [aPost({ id: "gap", message: "missed", create_at: 110_000, update_at: 110_000 })];
    const answers = [429, 500, 429, 502, 503].map(failureWith);
    after.failure = () => {
      history.people = answers.shift() ?? null;
      timeline.enter(here);
    };
    history.people = answers.shift() ?? null;
    timeline.enter(here);
    await told(host, 1);
    expect([texts(host), unreadable.length, answers]).toEqual([["missed"], 4, []]);
    expect(host.records.filter(({ level }) => level === "warn")).toMatchObject([{ fields: { why: "HTTP 503" } }]);
  });

  test("that fails is read when the channel is joined again at that moment", async () => {
    const { host, timeline, history, after } = timelineOf(cursor, { resumed: true });
    history.posts = null;
    after.failure = () => {
      history.posts = [aPost({ id: "gap", message: "missed", create_at: 110_000, update_at: 110_000 })];
      timeline.enter(here);
    };
    timeline.missed();
    await told(host, 1);
    expect(texts(host)).toEqual(["missed"]);
  });

  test("that is asked for at the moment when it has just been read is read once more", async () => {
    const { host, timeline, history } = timelineOf(cursor);
    const accept = host.accept.bind(host);
    const gap = aPost({ id: "gap", message: "missed", create_at: 110_000, update_at: 110_000 });
    host.accept = async (given) => {
      // The channel has caught up, which the cursor is to say.
      if (given.events.length === 0 && history.posts?.length === 0) {
        history.posts = [gap];
        timeline.missed();
      }
      return await accept(given);
    };
    timeline.enter(here);
    await told(host, 1);
    timeline.push(posted("next"));
    await told(host, 2);
    expect(texts(host)).toEqual(["missed", "next"]);
  });

  test("and what waits for it: a fault in one of them takes no other with it", async () => {
    const { host, timeline, history } = timelineOf(cursor);
    const [bad, good] = ["bad", "good"].map((id) => aPost({ id, create_at: 110_000, update_at: 110_000 }));
    const props = {
      get attachments(): never {
        throw new Error("a fault");
      },
    };
    history.posts = [{ ...(bad ?? aPost()), props }, good ?? aPost()];
    timeline.enter(here);
    for (const id of ["one", "bad", "two"]) timeline.push(posted(id));
    await told(host, 3);
    expect(texts(host)).toEqual(["hello", "one", "two"]);
  });
});

describe("who has to be looked up", () => {
  test("holds up the own channel, and no other", async () => {
    const { host, positions, timeline, asking, others } = timelineOf(null);
    for (const id of ["town", "square"]) timeline.enter({ id, lastPostAt: 0 });
    const removed = { ...posted(""), event: "user_removed", data: { channel_id: "town" } };
    for (const event of [posted("one"), posted("asks"), posted("two"), removed]) timeline.push(event);
    for (const id of ["three", "four"]) timeline.push({ ...posted(id), channel: "square" });
    timeline.push({ ...removed, data: { channel_id: "square" } });
    await told(host, 3);
    expect([texts(host), others]).toEqual([["one", "three", "four"], ["user_removed"]]);
    // It is read again from there on, should nobody hear the answer.
    expect([positions.channels.of("town")?.behind, positions.channels.of("square")?.behind]).toEqual([
      expect.any(Number),
      null,
    ]);
    asking.resolve();
    await told(host, 5);
    expect([texts(host).slice(3), others.length]).toEqual([["asks", "two"], 2]);
    timeline.push(posted("five"));
    await told(host, 6);
    expect(positions.channels.of("town")?.behind).toBeNull();
  });

  test("does not hold up what happens to a channel behind too much", async () => {
    const { host, timeline, asking, others, history } = timelineOf(null);
    timeline.enter(here);
    timeline.push(posted("asks"));
    timeline.push({ ...posted(""), event: "user_removed" });
    for (let count = 0; count < 10_000; count += 1) timeline.push(posted(`p${count}`));
    await eventually(
      async () => await Promise.resolve(others.length),
      (count) => count === 1,
      () => "the removal",
    );
    history.posts = [aPost({ id: "gap", message: "read again", create_at: Date.now(), update_at: Date.now() })];
    asking.resolve();
    await told(host, 2);
    expect(texts(host)).toEqual(["asks", "read again"]);
  });
});

describe("dates of posts are never believed to be later than the server's clock", () => {
  const now = 1_000_000_000;
  const future = { create_at: now + 9_000_000, update_at: now + 9_000_000 };

  test("of those that come", async () => {
    const { host, positions, timeline, asked } = timelineOf(cursor);
    timeline.push(timeIs(now));
    timeline.enter(here);
    timeline.push(posted("one", { create_at: now, update_at: now }));
    // Its history is read.
    await told(host, 1);
    timeline.push(posted("two", future));
    await told(host, 2);
    expect(positions.channels.at - now).toBeLessThan(60_000);
    const count = asked.length;
    timeline.missed();
    await eventually(
      async () => await Promise.resolve(asked.length),
      (length) => length > count,
      () => "a question",
    );
    expect(asked.at(-1)).toEqual({ sinceMs: expect.toSatisfy((since: number) => since < now + 30_000) as number });
  });

  test("of the last one before we came", async () => {
    const { positions, timeline } = timelineOf(null);
    timeline.push(timeIs(now));
    await eventually(
      async () => await Promise.resolve(positions.channels.at),
      (seen) => seen === now,
      () => "the time",
    );
    timeline.enter({ id: "town", lastPostAt: now + 9_000_000 });
    expect(positions.channels.of("town")?.floor).toBeLessThan(now + 90_000);
    timeline.enter({ id: "square", lastPostAt: now + 5_000 });
    expect(positions.channels.of("square")?.floor).toBe(now + 5_000);
  });
});

test("a long queue is handed over in parts", async () => {
  const { host, timeline } = timelineOf(null);
  timeline.enter(here);
  const sizes: number[] = [];
  const accept = host.accept.bind(host);
  host.accept = async (given) => {
    sizes.push(given.events.length);
    return await accept(given);
  };
  for (let count = 0; count < 1000; count += 1) timeline.push(posted(`p${count}`, { message: "hello" }));
  await told(host, 1000);
  expect(Math.max(...sizes)).toBe(200);
});
