import { expect, onTestFinished, test } from "vitest";
import type { Life } from "../../../test/contract/life.ts";
import { tryToOpen } from "../../../test/contract/life.ts";
import { BOB, bodyOf, doOp, editOf, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { messageRef } from "./ids.ts";
import { type SendingTown, sendingTown, textsOf } from "./sending.suite.ts";
import { slackSettings } from "./settings.suite.ts";
import { openWebhook } from "./webhook-out.ts";

async function hooked(town: SendingTown): Promise<Life> {
  const hook = town.server.world.addHook(town.app, town.dock);
  const settings = slackSettings({ WebhookURL: `${town.server.world.site}${hook.path}` });
  const { host, opened } = await tryToOpen(openWebhook, settings, {});
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const { session } = opened;
  onTestFinished(async () => await session.close(new AbortController().signal));
  const joined = await session.join({ name: "dock", options: {} }, new AbortController().signal);
  if (!joined.ok) throw new Error(joined.why.message);
  expect(joined.without).toEqual(["edit", "delete", "react", "topic"]);
  return { host, session, handlers: session.handlers, ref: joined.ref };
}

test("a webhook posts with the name before the text, files as links, and what is answered as a quote", async () => {
  const town = await sendingTown();
  const life = await hooked(town);
  const file = aSharedFile({ name: "a.png", url: "https://e.example/a.png" });
  const reply = { target: messageRef("1700000000.000100"), name: "Alice", excerpt: "hello" };
  const body = bodyOf("hi <!channel> @here", [file, aSharedFile({ name: "b.png" })]);
  const { outcome } = await doOp(life, postOf(life.ref, "", { author: BOB, body, reply }));
  expect(outcome).toMatchObject({
    is: "delivered",
    receipt: { messages: [], losses: [{ what: "reply" }, { what: "file" }] },
  });
  const [text = ""] = textsOf(town);
  expect(
    text
      .replaceAll(/[\u200b\ufeff]/g, "")
      .split("\n")
      .filter((line) => line !== ""),
  ).toEqual([
    "[irc] &lt;Bob&gt;",
    "&gt; Alice: hello",
    "hi &lt;!channel&gt; @here",
    "a.png: <https://e.example/a.png>",
    "b.png was shared, but could not be copied here (it is too large)",
  ]);
});

test("channels that one webhook cannot tell apart are named in one advice", async () => {
  const town = await sendingTown();
  const { host, session } = await hooked(town);
  expect(host.doubts).toEqual([]);
  for (const name of ["pier", "quay", "pier"]) await session.join({ name, options: {} }, new AbortController().signal);
  expect(host.doubts.at(-1)?.message).toContain("what is for dock, pier, quay all goes there");
});

test("long texts are several messages, and a later try goes on behind those that are there", async () => {
  const town = await sendingTown();
  const life = await hooked(town);
  const text = Array.from({ length: 1_500 }, (_, at) => `word${at}`).join(" ");
  const op = postOf(life.ref, text);
  town.server.limits.set("hook", 1, 60_000);
  const first = await doOp(life, op);
  expect(first.outcome).toMatchObject({ is: "deferred", why: { code: "rate_limited" } });
  town.server.limits.off = true;
  const rest = await doOp(life, { ...op, resume: first.attempt.confirmed.at(-1) ?? null });
  expect(rest.outcome.is).toBe("delivered");
  expect(
    textsOf(town)
      .join(" ")
      .match(/word\d+/g),
  ).toEqual(text.split(" "));
});

test("what may have been posted is not posted again, and there is nothing but posts", async () => {
  const town = await sendingTown();
  const life = await hooked(town);
  town.server.faults.loseAnswer({ path: "/services/" });
  const lost = await doOp(life, postOf(life.ref, "hi"));
  expect(lost.outcome).toMatchObject({
    is: "unknown",
    upTo: "end",
    final: true,
    why: { message: expect.stringContaining("may have") as string },
  });
  expect(textsOf(town)).toHaveLength(1);
  const edit = await doOp(life, editOf(life.ref, [messageRef("1700000000.000100")], "ho"));
  expect(edit.outcome).toMatchObject({ is: "rejected", why: { code: "unsupported" } });
});

test.each<[string, (town: SendingTown) => void, string]>([
  ["one that is gone", (town) => town.server.world.hooks.clear(), "make a new one and set WebhookURL"],
  ["one of an archived channel", (town) => town.alice.archive(town.dock), "unarchive it"],
])("%s is tried again every minute, and it is said what helps", async (_, change, words) => {
  const town = await sendingTown();
  const life = await hooked(town);
  change(town);
  const { outcome } = await doOp(life, postOf(life.ref, "hi"));
  expect(outcome).toMatchObject({
    is: "deferred",
    retryInMs: 60_000,
    why: { message: expect.stringContaining(words) as string },
  });
});

test.each([
  [429, 10_000_000, 3_600_000],
  [429, 0, 50],
  [503, 7, 7_000],
])("HTTP %d with Retry-After: %d is tried again in %d ms", async (status, seconds, retryInMs) => {
  const town = await sendingTown();
  const life = await hooked(town);
  town.server.faults.answer({ path: "/services/" }, { status, headers: { "Retry-After": String(seconds) } });
  expect((await doOp(life, postOf(life.ref, "hi"))).outcome).toMatchObject({ is: "deferred", retryInMs });
});

test.each([403, 404])("a page of a proxy with the status %d: it is tried again", async (status) => {
  const town = await sendingTown();
  const life = await hooked(town);
  town.server.faults.fail({ path: "/services/" }, status);
  const op = postOf(life.ref, "hi");
  expect((await doOp(life, op)).outcome).toMatchObject({ is: "deferred", why: { code: "network" } });
  expect((await doOp(life, op)).outcome.is).toBe("delivered");
});

test.each([502, 500])("HTTP %d leaves open whether it was posted", async (status) => {
  const town = await sendingTown();
  const life = await hooked(town);
  town.server.faults.fail({ path: "/services/" }, status);
  const { outcome } = await doOp(life, postOf(life.ref, "hi"));
  expect(outcome).toMatchObject({ is: "unknown", upTo: "end", final: true });
});
