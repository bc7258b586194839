import { expect, test } from "vitest";
import { mint } from "../../contract/ids.ts";
import { type Doing, EDITING, outcomeOf, POSTING, UPLOADING } from "./failure.ts";
import type { MattermostLink } from "./link.ts";

const channel = mint("ChannelRef", "town");
const PERMISSION = "api.context.permissions.app_error";

interface Given {
  readonly status: number;
  readonly id?: string;
  readonly detail?: string;
  readonly doing?: Doing;
  readonly member?: boolean;
}

const cases: readonly (readonly [string, Given, string, RegExp])[] = [
  ["no permission", { status: 403, id: PERMISSION }, "deferred 60000 channel", /create_post \(System Console/u],
  [
    "no permission, which the server names",
    { status: 403, id: PERMISSION, detail: "userId=u, permission=create_post_public" },
    "deferred 60000 channel",
    /the permission create_post_public \(/u,
  ],
  ["no permission to edit", { status: 403, id: PERMISSION, doing: EDITING }, "rejected", /edit_post \(System Console/u],
  [
    "a channel for reading",
    { status: 403, id: "api.post.create_post.town_square_read_only" },
    "deferred 60000 channel",
    /may not post here/u,
  ],
  ["out of the channel", { status: 403, id: PERMISSION, member: false }, "deferred 1000 channel", /add it there/u],
  ["a plugin refuses the message", { status: 403, id: "plugin.moderation.refused" }, "rejected", /HTTP 403$/u],
  ["a post is unknown", { status: 404, id: "app.post.get.app_error" }, "rejected", /HTTP 404$/u],
  ["a proxy refuses", { status: 403 }, "deferred 10000 channel", /between Rialto and Server/u],
  ["a proxy finds nothing", { status: 404 }, "deferred 10000 channel", /between Rialto and Server/u],
  ["a proxy that does not understand it", { status: 400 }, "rejected", /HTTP 400/u],
  ["a proxy for which it is too large", { status: 413 }, "rejected", /HTTP 413/u],
  ["a proxy that takes no files", { status: 403, doing: UPLOADING }, "rejected", /HTTP 403/u],
  ["a server in trouble", { status: 500, id: "app.post.save.app_error" }, "unknown", /HTTP 500/u],
  ["a server behind a proxy in trouble", { status: 502 }, "unknown", /HTTP 502/u],
  ["words that it does not take", { status: 400, id: "model.post.is_valid.props.app_error" }, "rejected", /HTTP 400/u],
];

test.each(cases)("%s", async (_, { status, id, detail = "", doing = POSTING, member = true }, expected, words) => {
  const link = {
    me: { id: "me", username: "rialto" },
    api: { isInChannel: async () => await Promise.resolve({ ok: true, value: member }) },
    limits: { postMax: 4_000 },
    lose: () => undefined,
  } as unknown as MattermostLink;
  const failure = {
    why: "refused" as const,
    status,
    headers: {},
    body: id === undefined ? undefined : { id, detailed_error: detail },
    message: `Mattermost answers HTTP ${status}`,
    retryAfterMs: null,
    certain: status < 500,
  };
  const signal = new AbortController().signal;
  const outcome = await outcomeOf(failure, { link, channel, doing, signal });
  if (outcome.is === "delivered") throw new Error("delivered");
  const timing = outcome.is === "deferred" ? ` ${outcome.retryInMs} ${outcome.scope}` : "";
  expect(outcome.is + timing).toBe(expected);
  expect(outcome.why.message).toMatch(words);
});
