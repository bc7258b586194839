import { describe, expect, test } from "vitest";
import { slackSource } from "./slack-source.ts";
import type { SlackNames } from "./slack-tokens.ts";

const NAMES: SlackNames = {
  user: (id) => (id === "U1" ? "Alice" : null),
  channel: (id) => (id === "C1" ? "dock" : null),
  group: (id) => (id === "S1" ? "crew" : null),
};
const rich = (...elements: readonly object[]) => [
  { type: "rich_text", elements: [{ type: "rich_text_section", elements }] },
];
const share = (more: object) => ({
  is_share: true,
  is_msg_unfurl: true,
  from_url: "https://crew.slack.com/archives/C9/p1",
  author_name: "Tom",
  text: "original *words*",
  footer: "Posted in #random",
  ...more,
});
const LINK = "<https://crew.slack.com/archives/C9/p1|forwarded>";

describe("what is forwarded", () => {
  test.each<[string, object, string]>([
    ["a message", share({}), `${LINK} from Tom in #random:\n> original *words*`],
    ["of a channel that is known", share({ channel_id: "C1" }), `${LINK} from Tom in #dock:\n> original *words*`],
    ["of a conversation without a name", share({ footer: "Direct Message" }), `${LINK} from Tom:\n> original *words*`],
    ["of nobody who is named", share({ author_name: "", footer: "" }), `${LINK}:\n> original *words*`],
    [
      "by its display name",
      share({ author_subname: "Tommy *T*", footer: "" }),
      `${LINK} from Tommy &#42;T&#42;:\n> original *words*`,
    ],
    ["without an address", share({ from_url: "" }), "forwarded from Tom in #random:\n> original *words*"],
    [
      "with blocks",
      share({ text: "fallback", message_blocks: [{ message: { blocks: rich({ type: "text", text: "as sent" }) } }] }),
      `${LINK} from Tom in #random:\n> as sent`,
    ],
    [
      "with a file",
      share({ text: "", files: [{ id: "F1", title: "Plan", permalink: "https://crew.slack.com/files/F1" }] }),
      `${LINK} from Tom in #random:\n> <https://crew.slack.com/files/F1|Plan>`,
    ],
    ["with nothing that is shown", share({ text: "" }), `${LINK} from Tom in #random:`],
  ])("%s", (_, attachment, source) => {
    expect(slackSource({ text: "", blocks: [], attachments: [attachment] }, NAMES)).toBe(source);
    expect(slackSource({ text: "look", blocks: [], attachments: [attachment] }, NAMES)).toBe(`look\n${source}`);
  });
});

test.each<[string, string, readonly object[], string]>([
  [
    "a group that only the text names",
    "<!subteam^S9|@hands> hi",
    rich({ type: "usergroup", usergroup_id: "S9" }, { type: "text", text: " hi" }),
    "@hands hi",
  ],
  ["a group that is known", "<!subteam^S1|@old>", rich({ type: "usergroup", usergroup_id: "S1" }), "@crew"],
  ["a group that nobody names", "", rich({ type: "usergroup", usergroup_id: "S9" }), "@unknown-group"],
  ["a canvas", "", rich({ type: "canvas" }), "(canvas)"],
  ["an element to come", "", rich({ type: "unknown_thing" }), "(something that only Slack shows: unknown thing)"],
  ["a block to come", "", [{ type: "unknown_thing", data: 1 }], "(something that only Slack shows: unknown thing)"],
  ["a block to come, with words", "", [{ type: "unknown_thing", title: "Plan" }], "Plan"],
  ["a block to come, beside a text", "hello", [{ type: "unknown_thing" }], "hello"],
  ["a line", "", [{ type: "divider" }], ""],
  [
    "a button of a workflow",
    "",
    [{ type: "actions", elements: [{ type: "workflow_button", text: { type: "plain_text", text: "Answer" } }] }],
    "(button: Answer)",
  ],
  [
    "a button that leads somewhere",
    "",
    [{ type: "actions", elements: [{ type: "button", text: "See", url: "https://e.example/" }] }],
    "<https://e.example/|See>",
  ],
])("%s", (_, text, blocks, source) => {
  expect(slackSource({ text, blocks, attachments: [] }, NAMES)).toBe(source);
});
