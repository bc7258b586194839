import { expect, test } from "vitest";
import type { Life } from "../../../test/contract/life.ts";
import { BOB, bodyOf, doOp, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { ours } from "./town.suite.ts";
import { mattermostTown, type MattermostTown, tryOpen } from "./town.suite.ts";

async function hooked(town: MattermostTown, PrefixMessagesWithNick = false): Promise<Life> {
  town.server.world.webhooks.set("hook", { id: "hook", user: town.bot.id, channel: town.channel.id, locked: false });
  const WebhookURL = `${town.server.url}/hooks/hook`;
  const { host, opened } = await tryOpen(town, {
    settings: { Token: "", Server: "", Team: "", WebhookURL, PrefixMessagesWithNick },
  });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const joined = await opened.session.join({ name: "town", options: {} }, new AbortController().signal);
  if (!joined.ok) throw new Error(joined.why.message);
  expect(joined.without).toEqual(["edit", "delete", "react", "topic"]);
  return { host, session: opened.session, handlers: opened.session.handlers, ref: joined.ref };
}

test("a webhook posts with name and picture, files as links, and what is answered as a quote", async () => {
  const town = await mattermostTown({ config: { usernameOverride: true, iconOverride: true } });
  const life = await hooked(town);
  const avatar = aSharedFile({ name: "avatar", url: "https://e.example/bob.png" });
  const file = aSharedFile({ name: "a.png", url: "https://e.example/a.png" });
  const reply = { target: "x" as MessageRef, name: "Alice", excerpt: "hello" };
  const body = bodyOf("*hi*", [file]);
  const { outcome } = await doOp(life, postOf(life.ref, "", { author: { ...BOB, avatar }, body, reply }));
  expect(outcome).toMatchObject({ is: "delivered", receipt: { messages: [], losses: [{ what: "reply" }] } });
  expect(ours(town)).toMatchObject([
    {
      message: "> Alice: hello\n\n\\*hi\\*\na.png: https://e.example/a.png",
      props: { override_username: "[irc] <Bob>", override_icon_url: "https://e.example/bob.png" },
    },
  ]);
  const prefixed = await hooked(town, true);
  await doOp(prefixed, postOf(prefixed.ref, "hi"));
  expect(ours(town).at(-1)).toMatchObject({ message: "[irc] <Bob> hi" });
});

test.each([
  [false, "<\u200b!channel> <\u200b!here> <@\u200babc> a < b"],
  [true, "<!channel> <!here> <@\u200babc> a < b"],
])("Slack's way to call everybody calls them only if that is allowed: %j", async (everyone, message) => {
  const town = await mattermostTown();
  const life = await hooked(town);
  const body = bodyOf("<!channel> <!here> <@abc> a < b", [], "mattermost");
  await doOp(life, postOf(life.ref, "", { author: null, body, mayPing: { users: true, everyone } }));
  expect(ours(town)).toMatchObject([{ message }]);
});

test("what may have been posted is not posted again, and a refusal says what to check", async () => {
  const town = await mattermostTown();
  const life = await hooked(town);
  town.server.faults.loseAnswer({ method: "POST" });
  const lost = await doOp(life, postOf(life.ref, "hi"));
  expect(lost.outcome).toMatchObject({
    is: "unknown",
    upTo: "end",
    final: true,
    why: { message: expect.stringContaining("may have") as string },
  });
  expect(ours(town)).toHaveLength(1);
  town.server.world.webhooks.clear();
  const refused = await doOp(life, postOf(life.ref, "hi"));
  expect(refused.outcome).toMatchObject({
    is: "rejected",
    why: { message: expect.stringContaining("WebhookURL") as string },
  });
  town.server.faults.limit({ method: "POST" }, 3);
  expect((await doOp(life, postOf(life.ref, "hi"))).outcome).toMatchObject({ is: "deferred", retryInMs: 3_000 });
  town.server.faults.fail({ method: "POST" }, 503);
  expect((await doOp(life, postOf(life.ref, "hi"))).outcome).toMatchObject({ is: "deferred", scope: "session" });
});

test("HTTP 502 leaves open whether the first part was posted: the rest is sent, and that part is not", async () => {
  const town = await mattermostTown();
  const life = await hooked(town);
  const words = Array.from({ length: 4_000 }, (_, at) => `word${at}`);
  const op = postOf(life.ref, words.join(" "));
  town.server.faults.fail({ method: "POST" }, 502);
  const { outcome } = await doOp(life, op);
  expect(outcome).toMatchObject({ is: "unknown", final: true, why: { code: "remote_error" } });
  const resume = outcome.is === "unknown" ? (outcome.upTo ?? null) : null;
  expect((await doOp(life, { ...op, resume })).outcome.is).toBe("delivered");
  const rest = ours(town).flatMap(({ message }) => message.match(/word\d+/gu) ?? []);
  const isTail = rest.join(" ") === words.slice(-rest.length).join(" ");
  expect([isTail, rest.length > 0, rest.length < words.length]).toEqual([true, true, true]);
});

test.each([
  [429, 10_000_000, 3_600_000],
  [429, 0, 50],
  [503, 10_000_000, 3_600_000],
  [503, 0, 50],
])("HTTP %d with Retry-After: %d is tried again in %d ms", async (status, seconds, retryInMs) => {
  const town = await mattermostTown();
  const life = await hooked(town);
  town.server.faults.answer({ method: "POST" }, { status, headers: { "Retry-After": String(seconds) } });
  expect((await doOp(life, postOf(life.ref, "hi"))).outcome).toMatchObject({ is: "deferred", retryInMs });
});
