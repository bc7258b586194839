import { describe, expect, test } from "vitest";
import { postOf } from "../../../test/contract/ops.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type ChannelRef, END } from "../../contract/ids.ts";
import type { PostOp } from "../../contract/ops.ts";
import type { WhichPosts } from "./api.ts";
import type { MattermostLink } from "./link.ts";
import { OwnPosts, propsOf } from "./own-posts.ts";
import { aPost } from "./post.suite.ts";
import { PostSender } from "./sender.ts";

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const here = "town" as ChannelRef;

/** A channel with a post a minute, of which one is ours: so many minutes old. */
function busy({ op, minutes, toldMs = NOW }: { op: PostOp; minutes: number; toldMs?: number }) {
  const asked: number[] = [];
  const made: string[] = [];
  const postAt = (at: number) => {
    const ours = at === minutes ? { user_id: "rialto", props: propsOf({ op: op.id, upTo: END }) } : {};
    return aPost({ id: `p${at}`, create_at: NOW - at * 60_000, ...ours });
  };
  const api = {
    posts: async (_: string, which: WhichPosts) => {
      const from = "before" in which && which.before !== null ? Number(which.before.slice(1)) + 1 : 1;
      const value = Array.from({ length: 200 }, (_none, at) => postAt(from + at)).toReversed();
      asked.push(from);
      return await Promise.resolve({ ok: true, value });
    },
    createPost: async ({ message }: { message: string }) => {
      made.push(message);
      return await Promise.resolve({ ok: true, value: aPost({ id: "new", user_id: "rialto" }) });
    },
  };
  const host = new RecordingHost(new FakeClock());
  const link = {
    api,
    host,
    settings: { PrefixMessagesWithNick: true },
    me: { id: "rialto", username: "rialto", isBot: true },
    limits: { postMax: 1_000, files: true, fileMax: null, nameOverride: false, iconOverride: false },
    own: new OwnPosts(),
    roots: { note: () => undefined },
    times: { now: () => NOW, toldMs },
    room: () => ({ id: "town" }),
  } as unknown as MattermostLink;
  return { host, asked, made, sender: new PostSender(link) };
}

describe("what an earlier life posted is looked for", () => {
  test.each([
    ["as far back as something can be in doubt", { minutes: 110 }, 1],
    ["however much was said since", { minutes: 3_000, toldMs: NOW - 49 * HOUR }, 16],
  ])("%s", async (_, given, pages) => {
    const op = postOf(here, "hi");
    const { sender, made, asked, host } = busy({ op, ...given });
    const outcome = await sender.post(op, new RecordingAttempt());
    expect(outcome).toMatchObject({ is: "delivered", receipt: { messages: [`p${given.minutes}`] } });
    expect([made, host.records]).toEqual([[], []]);
    expect(asked).toHaveLength(pages);
  });

  test("no further, and once", async () => {
    const op = postOf(here, "hi");
    const { sender, made, asked } = busy({ op, minutes: 9_000 });
    for (const one of [op, postOf(here, "ho")]) await sender.post(one, new RecordingAttempt());
    expect([made.length, asked]).toEqual([2, [1]]);
  });

  test("and the log says where there was too much to look through", async () => {
    const op = postOf(here, "hi");
    const { sender, asked, host } = busy({ op, minutes: 20_000, toldMs: NOW - 400 * HOUR });
    await sender.post(op, new RecordingAttempt());
    expect(asked).toHaveLength(50);
    expect(host.records).toMatchObject([{ level: "warn", fields: { channel: "town", posts: 10_000 } }]);
  });
});
