import { expect, test } from "vitest";
import type { Posted } from "../contract/events.ts";
import type { ChannelRef, EventKey, UserRef } from "../contract/ids.ts";
import { compileInbound } from "./inbound.ts";
import { compileNormalizer } from "./normalize.ts";
import { postedExcerpt } from "./posted.ts";
import { aMessage, anAccount } from "./samples.suite.ts";

const irc = anAccount("irc.a");
const normalizer = compileNormalizer(irc, compileInbound(irc));

test("what is kept of a text, to be quoted, has its spoilers hidden", () => {
  const said: Posted = {
    kind: "posted",
    key: "k" as EventKey,
    channel: "#c" as ChannelRef,
    atMs: 0,
    echoOf: null,
    messages: [],
    author: { id: "u" as UserRef, name: "u", identity: null, avatar: null },
    body: { style: "normal", source: { format: "irc", text: "it was \x0301,01him\x0f ok" }, files: [] },
    replyTo: null,
    thread: null,
  };
  expect(normalizer.normalize(said, "#c", 1, [])).toMatchObject({ entry: { note: { excerpt: "it was ███ ok" } } });
  const api = { ...anAccount("api.a"), settings: { TextFormat: "markdown" } };
  expect(postedExcerpt(aMessage({ text: "it was ||him|| ok" }), api)).toBe("it was ███ ok");
});
