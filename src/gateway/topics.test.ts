import { describe, expect, test } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { Topic } from "../contract/events.ts";
import type { ChannelRef } from "../contract/ids.ts";
import type { OptionalKind } from "../contract/ops.ts";
import { decodeStored, type Stored } from "./codec.ts";
import { compileInbound } from "./inbound.ts";
import { compileNormalizer, type Normalized } from "./normalize.ts";
import { ABLE, about, aStored, NOTHING_HERE, planOf } from "./plan.suite.ts";
import { anAccount } from "./samples.suite.ts";
import { compileView } from "./view.ts";

const WORDS = "bob changed the topic to: ships";
/** As a room gets them: the name of who changed it stands before the line. */
const SAID = "changed the topic to: ships";
const SYNC = { syncTopic: true };
const BOTH = { syncTopic: true, showTopicChange: true };
const SHOW = { showTopicChange: true };

function told(topic: string | null, more: Partial<Stored> = {}): Stored {
  return aStored({ text: WORDS, event: "topic_change" }, { topic, ...more });
}

const posted = (text: string): Stored =>
  aStored({ text, event: "topic_change", protocol: "api", account: "api.local" }, { topic: null });

interface Planned {
  readonly stored: Stored;
  readonly settings: Partial<PresentationSettings>;
  readonly able?: Partial<Capabilities>;
  readonly without?: readonly OptionalKind[];
}

/** The topic that is set, the words that are said, or nothing, and the note of what is lost. */
function planned({ stored, settings, able = ABLE, without = [] }: Planned): readonly (string | null)[] {
  const plan = planOf(settings, [], able);
  const result = plan.op(stored, "main", { ...NOTHING_HERE, without });
  const note = result.losses[0]?.note ?? null;
  expect(plan.setsTopic(stored, { without, limits: {} })).toBe(result.is === "op" && result.op.kind === "topic");
  if (result.is === "omitted") return ["omitted", null, note];
  const { op } = result;
  if (op.kind === "topic") return ["topic", op.topic, note];
  return [op.kind, op.kind === "post" ? op.body.source.text : null, note];
}

const OTHER = "it says nothing of a new topic";
const CANNOT = "the topic cannot be set here; said in words";

describe("a topic that changes elsewhere", () => {
  test.each<[string, Planned, readonly (string | null)[]]>([
    ["with SyncTopic", { stored: told("ships"), settings: SYNC }, ["topic", "ships", null]],
    ["that is gone", { stored: told(""), settings: SYNC }, ["topic", "", null]],
    ["with both settings: no words beside it", { stored: told("ships"), settings: BOTH }, ["topic", "ships", null]],
    ["with ShowTopicChange", { stored: told("ships"), settings: SHOW }, ["post", SAID, null]],
    ["on a network that sets none", { stored: told("ships"), settings: SYNC, able: {} }, ["post", SAID, CANNOT]],
    [
      "in a room where we may not",
      { stored: told("ships"), settings: SYNC, without: ["topic"] },
      ["post", SAID, CANNOT],
    ],
    ["that nobody knows", { stored: told(null), settings: SYNC }, ["omitted", null, OTHER]],
    ["that nobody knows, shown", { stored: told(null), settings: BOTH }, ["post", SAID, `${OTHER}; said in words`]],
    [
      "that nobody knows, on a network that sets none",
      { stored: told(null), settings: SYNC, able: {} },
      ["post", SAID, `${OTHER}; said in words`],
    ],
  ])("%s", (_name, given, expected) => {
    expect(planned(given)).toEqual(expected);
  });

  test.each([
    [{}, false],
    [SHOW, true],
    [SYNC, true],
    [BOTH, true],
  ])("reaches destinations that want it: %j", (settings, expected) => {
    expect(planOf(settings).admits("topic_change")).toBe(expected);
    const reader = anAccount("api.a", settings);
    expect(compileView(reader, new Map()).admits("topic_change")).toBe(expected);
  });

  test("what is no topic is none, whatever stands beside it", () => {
    const said = aStored({ text: "hello" }, { topic: "ships" });
    expect(planned({ stored: said, settings: SYNC })).toEqual(["post", "hello", null]);
    expect(planOf(SYNC, [], ABLE).setsTopic(told("ships", { about: about("reply") }), NOTHING_HERE)).toBe(false);
  });

  test("nothing has to be looked up for one that is set", () => {
    const { needs } = planOf(SYNC, [], ABLE);
    expect(needs(told("ships"), NOTHING_HERE)).toMatchObject({ about: null, files: [], avatar: null });
  });
});

describe("what a client of the API posts as a topic, in the words of the reference", () => {
  test.each([
    ["@someone set channel topic: foo bar", "foo bar"],
    ["@someone set the channel topic: foo bar", "foo bar"],
    ["@someone set channel topic: foo\nbar", "foo\nbar"],
    ["@someone cleared channel topic", ""],
    ["@someone cleared the channel topic", ""],
  ])("%j", (text, topic) => {
    expect(planned({ stored: posted(text), settings: SYNC })).toEqual(["topic", topic, null]);
  });

  test.each(["@someone set channel purpose: foo bar", "some unmatched message", "set channel topic: foo", ""])(
    "%j is none",
    (text) => {
      expect(planned({ stored: posted(text), settings: SYNC })).toEqual(["omitted", null, OTHER]);
    },
  );
});

describe("what a network tells of a topic", () => {
  function recorded(topic: string | null, presentation: Partial<PresentationSettings>): Normalized {
    const account = anAccount("net.a", presentation);
    const channel = "ref" as ChannelRef;
    const event: Topic = { kind: "topic", key: null, channel, atMs: 1, echoOf: null, author: null, topic, text: WORDS };
    return compileNormalizer(account, compileInbound(account)).normalize(event, "#room", 2, []);
  }

  test.each<[string, string | null, Partial<PresentationSettings>, string | null]>([
    ["as it is", "new", {}, "new"],
    ["which is gone", "", {}, ""],
    ["which nobody knows", null, {}, null],
    ["with what is replaced in texts", "new :ship:", { replaceMessages: [["new", "old"]] }, "old 🚢"],
    ["of which a rule leaves nothing", "new", { replaceMessages: [["^new$", ""]] }, null],
  ])("the topic is kept beside its words: one %s", (_name, topic, presentation, expected) => {
    const result = recorded(topic, presentation);
    if (result.is === "drop") throw new Error(result.reason);
    const stored = decodeStored(result.entry.payload);
    expect(stored).toMatchObject({
      topic: expected,
      message: { event: "topic_change", username: "system", text: WORDS },
    });
  });

  test("goes no further when the topic alone is ignored", () => {
    const rule = "^new$";
    expect(recorded("new", { ignoreMessages: [rule] })).toEqual({ is: "drop", reason: "ignored_text", rule });
  });
});
