import {
  type APIAttachment,
  type APIMessage,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
} from "discord-api-types/v10";
import { expect, test } from "vitest";
import { aMessage, ALICE, aReceiveContext as context } from "./message.suite.ts";
import { toEvent } from "./receive.ts";

const BOB = { ...ALICE, id: "101", username: "bob", global_name: null };
const row = {
  type: ComponentType.ActionRow,
  components: [
    { type: ComponentType.Button, style: ButtonStyle.Link, label: "see", url: "https://ci.example/1" },
    { type: ComponentType.Button, style: ButtonStyle.Primary, label: "again", custom_id: "x" },
  ],
} satisfies NonNullable<APIMessage["components"]>[number];

const gallery = [
  {
    type: ComponentType.MediaGallery,
    items: [
      { media: { url: "https://pics.example/cat.png" }, description: "a cat\n*asleep*" },
      { media: { url: "https://pics.example/dog.png" } },
    ],
  },
] as unknown as NonNullable<APIMessage["components"]>;

const activity = (type: number, name: string, party = "p"): Partial<APIMessage> => ({
  content: "",
  activity: { type, party_id: party },
  application: { id: "3", name },
});

const used = (name?: string) => ({ id: "1", type: 2, name, user: BOB }) as never;

const snapshot = {
  type: MessageType.Default,
  content: "one\ntwo",
  embeds: [],
  attachments: [],
  timestamp: "2024-04-01T00:00:00.000000+00:00",
  edited_timestamp: null,
  mentions: [],
  mention_roles: [],
} satisfies NonNullable<APIMessage["message_snapshots"]>[number]["message"];

const map: APIAttachment = {
  id: "900",
  filename: "map.png",
  size: 12,
  url: "https://e.example/map.png",
  proxy_url: "",
};
const action = (text: string) => ({ style: "action", text });
const normal = (text: string) => ({ style: "normal", text });

test.each<[string, Partial<APIMessage>, { style: string; text: string }]>([
  [
    "buttons that are links, with a text",
    { content: "deployed", components: [row] },
    normal("deployed\n[see](https://ci.example/1)"),
  ],
  [
    "buttons that are links, with an embed",
    { content: "", embeds: [{ title: "Build 7" }], components: [row] },
    normal("**Build 7**\n[see](https://ci.example/1)"),
  ],
  [
    "buttons that are links, of a forward",
    { content: "", message_snapshots: [{ message: { ...snapshot, components: [row] } }] },
    normal("forwarded:\n> one\n> two\n> [see](https://ci.example/1)"),
  ],
  [
    "pictures of a gallery, with what they show",
    { content: "", flags: MessageFlags.IsComponentsV2, components: gallery },
    normal("https://pics.example/cat.png (a cat \\*asleep\\*)\nhttps://pics.example/dog.png"),
  ],
  ["an invitation to a game", activity(1, "Chess"), normal("(invitation to join Chess)")],
  ["an invitation to watch", activity(2, "Chess"), normal("(invitation to watch Chess)")],
  ["an invitation to listen along", activity(3, "", "spotify:1"), normal("(invitation to listen along on Spotify)")],
  ["a request to join", activity(5, "Chess"), normal("(request to join Chess)")],
  ["an invitation to something new", activity(9, ""), normal("(invitation to join an activity)")],
  [
    "an answer to a command, of which it is known who used it",
    { type: MessageType.ChatInputCommand, content: "4", interaction: used("roll dice") },
    normal("(bob used /roll dice)\n4"),
  ],
  [
    "an answer to a command, without its name",
    { type: MessageType.ContextMenuCommand, content: "4", interaction_metadata: used() },
    normal("(bob used a command)\n4"),
  ],
  [
    "an embed that answers a command",
    { type: MessageType.ChatInputCommand, content: "", embeds: [{ title: "4" }], interaction: used("roll") },
    normal("(bob used /roll)\n**4**"),
  ],
  ["the end of a stage without a topic", { type: MessageType.StageEnd, content: "" }, action("ended the stage")],
  ["the start of a stage", { type: MessageType.StageStart, content: "Tea" }, action("started the stage Tea")],
  [
    "a channel without a name",
    { type: MessageType.ChannelNameChange, content: "" },
    action("changed the name of the channel"),
  ],
  [
    "who wrote what is answered, through a webhook",
    {
      type: MessageType.Reply,
      content: "<@66> yes",
      message_reference: { type: MessageReferenceType.Default, message_id: "499", channel_id: "5" },
      referenced_message: { author: { ...BOB, id: "66", username: "Carol", global_name: null } },
    } as Partial<APIMessage>,
    normal("<@66|Carol> yes"),
  ],
])("what programs say: %s", (_, given, { style, text }) => {
  expect(toEvent(aMessage(given), context)).toMatchObject({ kind: "posted", body: { style, source: { text } } });
});

test("a file that components describe", () => {
  const components = [
    { type: 12, items: [{ media: { url: "https://e.example/map.png", attachment_id: "900" }, description: "a map" }] },
  ] as unknown as NonNullable<APIMessage["components"]>;
  const event = toEvent(aMessage({ attachments: [map], flags: MessageFlags.IsComponentsV2, components }), context);
  expect(event).toMatchObject({ body: { files: [{ name: "map.png", comment: "a map", ref: "5/500/900" }] } });
});
