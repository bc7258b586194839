import { describe, expect, test } from "vitest";
import { changesIn, fetchChanged, type GapScope } from "./gap.ts";
import { aPost } from "./post.suite.ts";
import type { WhichPosts } from "./api.ts";
import type { MattermostPost } from "./model.ts";

/** Read up to 100 s; the margin before that is 30 s. */
const scope: GapScope = { channel: "town", sinceMs: 100_000, floorMs: 0 };
const never = (): boolean => false;

describe("what happened since", () => {
  test.each([
    ["a new post", { create_at: 110_000 }, ["posted"], []],
    ["a new post that was edited is told as it is", { create_at: 110_000, edit_at: 115_000 }, ["posted"], ["edited"]],
    ["one at the border comes again", { create_at: 80_000 }, ["posted"], []],
    ["an edit of an old one", { create_at: 1000, edit_at: 110_000 }, [], ["edited"]],
    ["a deletion", { create_at: 1000, delete_at: 110_000 }, [], ["deleted"]],
    ["one that came and went", { create_at: 110_000, delete_at: 111_000 }, [], ["deleted"]],
    ["a copy from before an edit", { original_id: "other", create_at: 110_000, delete_at: 111_000 }, [], []],
    ["a pin", { create_at: 1000, edit_at: 2000, update_at: 110_000 }, [], []],
    [
      "reactions, those of before too",
      { create_at: 1000, metadata: { reactions: [reaction("new", 110_000), reaction("old", 2000)] } },
      [],
      ["reacted"],
    ],
    [
      "a reaction that was taken back, and put back",
      { create_at: 1000, metadata: { reactions: [{ ...reaction("back", 2000), update_at: 110_000 }] } },
      [],
      ["reacted"],
    ],
  ])("%s", (_, given, posts, changes) => {
    const found = changesIn([aPost({ update_at: 120_000, ...given })], scope, never);
    expect(found.posts.map(() => "posted")).toEqual(posts);
    expect(found.changes.map(({ is }) => is)).toEqual(changes);
  });

  test("what was posted before we came is none of ours, what is done to it may be", () => {
    const rows = [aPost({ create_at: 90_000, edit_at: 110_000 })];
    const found = changesIn(rows, { ...scope, floorMs: 95_000 }, never);
    expect([found.posts.length, found.changes.length]).toEqual([0, 1]);
  });

  test("an edit that a post was told with is no news", () => {
    const rows = [aPost({ create_at: 90_000, edit_at: 95_000 })];
    expect(changesIn(rows, scope, (post, editAt) => post === "post" && editAt === 95_000).changes).toEqual([]);
  });

  test("in the order of their moments", () => {
    const rows = [
      aPost({ id: "b", create_at: 120_000 }),
      aPost({ id: "a", create_at: 110_000, edit_at: 130_000 }),
      aPost({ id: "c", create_at: 1000, delete_at: 125_000 }),
    ];
    const found = changesIn(rows, scope, never);
    expect(found.posts.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(found.changes.map(({ is, atMs }) => [is, atMs])).toEqual([
      ["deleted", 125_000],
      ["edited", 130_000],
    ]);
  });
});

describe("what is asked for", () => {
  const many = (count: number, at: number): MattermostPost[] =>
    Array.from({ length: count }, (_, index) => {
      const time = at + index;
      return aPost({ id: `p${time}`, create_at: time, update_at: time });
    });

  /** A server that gives the rows that changed first, up to its limit. */
  function server(rows: readonly MattermostPost[]) {
    const asked: WhichPosts[] = [];
    const posts = async (_: string, which: WhichPosts) => {
      asked.push(which);
      if ("sinceMs" in which) {
        const value = rows.filter(({ updateAt }) => updateAt > which.sinceMs).slice(0, 1000);
        return await Promise.resolve({ ok: true as const, value });
      }
      const before = which.before === null ? Infinity : (rows.find(({ id }) => id === which.before)?.createAt ?? 0);
      const value = rows.filter(({ createAt }) => createAt < before).slice(-which.count);
      return await Promise.resolve({ ok: true as const, value });
    };
    return { asked, api: { posts } };
  }

  const signal = new AbortController().signal;

  test("one answer is enough for a small gap; roots of threads in it are passed over", async () => {
    const rows = [...many(10, 101_000), aPost({ id: "root", update_at: 5 })];
    const { asked, api } = server(rows);
    const found = await fetchChanged(api, scope, signal);
    expect(found).toMatchObject({ ok: true, value: { whole: true } });
    expect(found.ok && found.value.posts.length).toBe(10);
    expect(asked).toEqual([{ sinceMs: 70_000 }]);
  });

  test("a large one is read on from the last change, and page by page", async () => {
    const { asked, api } = server(many(2500, 101_000));
    const found = await fetchChanged(api, scope, signal);
    expect(found.ok && found.value.posts.length).toBe(2500);
    expect(asked.filter((which) => "sinceMs" in which).length).toBe(3);
  });

  test("no end of rows has an end", async () => {
    const { api } = server(many(30_000, 101_000));
    const found = await fetchChanged(api, scope, signal);
    expect(found).toMatchObject({ ok: true, value: { whole: false } });
    expect(found.ok && found.value.posts.length).toBeLessThan(22_000);
  });

  test("a thousand changes of one moment do not go round", async () => {
    const rows = Array.from({ length: 1500 }, (_, index) => aPost({ id: `p${index}`, update_at: 110_000 }));
    const { asked, api } = server(rows);
    expect((await fetchChanged(api, scope, signal)).ok).toBe(true);
    expect(asked.length).toBeLessThan(10);
  });
});

function reaction(user: string, at: number): object {
  return { user_id: user, post_id: "post", emoji_name: "heart", create_at: at };
}
