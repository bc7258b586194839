import type { Json } from "../../../src/adapters/kit/json.ts";
import type { Random } from "../random.ts";
import { json, mutated, mutatedJson, text } from "../text.ts";

export const CHANNEL = "C0TOWN001";
const ELSEWHERE = "C0OTHER01";
export const TEAM = "T0CREW001";
export const OWN = "U0RIALTO1";
export const OWN_BOT = "B0RIALTO1";
export const OWN_APP = "A0RIALTO1";
const ALICE = "U0ALICE01";
const BEGAN = Date.UTC(2026, 0, 1) / 1000;

/** The name of a message of a moment: `number` seconds after the fuzzer's time began. */
export const tsOf = (number: number): string => `${BEGAN + number}.000100`;

const PEOPLE = [OWN, ALICE, "U0NOBODY1", "USLACKBOT", "", "../x", "\ud800"];
const STAMPS = ["", "x", "0.000000", "999999999999.999999", "-1.000000", "1e300", 5, null];
const SUBTYPES =
  "bot_message me_message file_share thread_broadcast channel_join channel_leave channel_topic channel_purpose channel_name channel_archive pinned_item tombstone reply_broadcast ekm_access_denied bot_add huddle_thread x".split(
    " ",
  );
/** What may bring us out of the channel, and what means nothing. */
const OTHERS =
  "member_joined_channel member_left_channel channel_rename channel_archive channel_unarchive channel_deleted channel_left channel_id_changed group_rename group_archive group_left user_change emoji_changed file_shared file_deleted channel_shared pin_added new_event".split(
    " ",
  );
const KEYS =
  "ok error needed type subtype ts channel channel_type user bot_id app_id username text blocks elements block_id style url url_private name title files mode mimetype size permalink shares attachments fallback pretext fields value edited thread_ts reply_count latest_reply reactions users count metadata event_type event_payload op upTo message previous_message deleted_ts hidden item item_user reaction event event_id event_ts payload envelope_id messages has_more response_metadata next_cursor is_limited profile display_name real_name image_192 is_bot team_id id is_member is_archived is_private members channels emoji root topic purpose old_name inviter bot_profile user_profile unicode skin_tone __proto__ constructor".split(
    " ",
  );

const person = (id: string): Json => ({
  id,
  team_id: TEAM,
  name: "alice",
  deleted: false,
  is_bot: false,
  profile: { real_name: "Alice A", display_name: "Alice", image_192: "https://avatars.example/a.png" },
});

const channel = (id: string, name: string): Json => ({
  id,
  name,
  is_channel: true,
  is_private: false,
  is_archived: false,
  is_member: true,
  topic: { value: "" },
  purpose: { value: "" },
});

const stamp = (random: Random): unknown => (random.chance(0.9) ? tsOf(random.int(40)) : random.pick(STAMPS));

const file = (random: Random): Json => ({
  id: random.pick(["F0FILE001", text(random, 1)]),
  name: text(random, 2),
  title: text(random, 2),
  mimetype: random.pick(["text/plain", "", null]),
  mode: random.pick(["hosted", "external", "tombstone", "hidden_by_limit", "snippet", "x"]),
  file_access: random.pick(["visible", "check_file_info", "access_denied"]),
  size: random.pick([0, 1, 1e300, -1]),
  url_private: random.pick(["https://files.slack.com/files-pri/a", "javascript:x", "https://e.example/a"]),
  permalink: random.pick(["https://crew.slack.com/files/a", "x"]),
});

function element(random: Random): Json {
  return random.pick<() => Json>([
    () => ({ type: "text", text: text(random), style: { bold: random.chance(0.5), code: random.chance(0.3) } }),
    () => ({ type: "link", url: random.pick(["https://e.example", "x"]), text: text(random, 2) }),
    () => ({ type: "user", user_id: random.pick(PEOPLE) }),
    () => ({ type: "channel", channel_id: random.pick([CHANNEL, ELSEWHERE, "x"]) }),
    () => ({
      type: "emoji",
      name: random.pick(["+1", "parrot", text(random, 1)]),
      unicode: random.pick(["1f44d", "x"]),
    }),
    () => ({ type: random.pick(["broadcast", "usergroup", "date", "color", "team", "x"]), range: "here", value: "x" }),
  ])();
}

function blocks(random: Random): readonly Json[] {
  const section = (): Json => ({
    type: random.pick(["rich_text_section", "rich_text_quote", "rich_text_preformatted", "rich_text_list", "x"]),
    style: random.pick(["bullet", "ordered", "x"]),
    indent: random.pick([0, 1, 1e300, -1]),
    elements: random.some(5, () => element(random)),
  });
  return random.some(3, () =>
    random.chance(0.7)
      ? {
          type: "rich_text",
          block_id: random.pick(["rialto/op 1/end", "rialto/x", "b1", text(random, 1)]),
          elements: random.some(4, section),
        }
      : {
          type: random.pick(["section", "header", "context", "image", "divider", "table", "video", "x"]),
          text: { type: "mrkdwn", text: text(random) },
          elements: [{ type: "mrkdwn", text: text(random, 3) }],
          alt_text: text(random, 2),
        },
  );
}

/** What else may be in a message. */
function extras(random: Random): Json {
  const parts: readonly (() => Json)[] = [
    () => ({ blocks: blocks(random) }),
    () => ({ files: random.some(4, () => file(random)), subtype: "file_share" }),
    () => ({
      attachments: random.some(3, () => ({ title: text(random, 3), text: text(random), fallback: text(random, 2) })),
    }),
    () => ({ subtype: random.pick(SUBTYPES), topic: text(random, 3), purpose: text(random, 2), name: text(random, 1) }),
    () => ({ thread_ts: stamp(random), reply_count: random.pick([0, 3, -1, 1e300]), latest_reply: stamp(random) }),
    () => ({
      bot_id: random.pick([OWN_BOT, "B0OTHER01"]),
      app_id: random.pick([OWN_APP, "A0OTHER01"]),
      user: undefined,
    }),
    () => ({ username: text(random, 2), bot_profile: { name: text(random, 2) } }),
    () => ({ edited: { user: random.pick(PEOPLE), ts: stamp(random) } }),
    () => ({
      reactions: [{ name: random.pick(["+1", "x"]), users: [random.pick(PEOPLE)], count: random.pick([1, 9, -1]) }],
    }),
    () => ({ metadata: { event_type: "rialto_op", event_payload: { op: "op 1", upTo: text(random, 1) } } }),
  ];
  return Object.assign({}, ...random.some(4, () => random.pick(parts)())) as Json;
}

function message(random: Random): Json {
  const mention = `<@${random.pick(PEOPLE)}> <#${CHANNEL}|x> <!here> <https://e.example|${text(random, 1)}> &lt;`;
  return {
    type: "message",
    ts: stamp(random),
    user: random.pick(PEOPLE),
    text: random.chance(0.3) ? `${text(random)} ${mention}` : text(random, 20),
    ...extras(random),
  };
}

/** What `conversations.history` and `.replies` answer. */
export const messages = (random: Random): Json => ({
  ok: true,
  messages: random.some(8, () => message(random)),
  has_more: random.chance(0.2),
  is_limited: random.chance(0.1),
  response_metadata: { next_cursor: random.pick(["", "", "", "again", 5]) },
});

/** A good message, as an event has it. */
export const said = (ts: string, words: string): Json => ({
  type: "message",
  channel: CHANNEL,
  channel_type: "channel",
  user: ALICE,
  team: TEAM,
  text: words,
  ts,
  event_ts: ts,
});

/** What the server would answer to a call of this method. */
export function sound(method: string): Json {
  const ts = tsOf(60);
  switch (method) {
    case "users.conversations":
    case "conversations.list":
      return { ok: true, channels: [channel(CHANNEL, "town"), channel(ELSEWHERE, "elsewhere")] };
    case "conversations.info":
    case "conversations.join":
      return { ok: true, channel: channel(CHANNEL, "town") };
    case "conversations.history":
    case "conversations.replies":
      return { ok: true, messages: [], has_more: false };
    case "conversations.members":
      return { ok: true, members: [OWN, ALICE] };
    case "users.info":
      return { ok: true, user: person(ALICE) };
    case "users.list":
      return { ok: true, members: [person(ALICE)] };
    case "emoji.list":
      return { ok: true, emoji: { parrot: "https://emoji.example/parrot.gif", bird: "alias:parrot" } };
    case "chat.getPermalink":
      return { ok: true, permalink: "https://crew.slack.com/archives/C0TOWN001/p1" };
    default:
      return { ok: true, channel: CHANNEL, ts, message: { ...said(ts, "a post"), bot_id: OWN_BOT, app_id: OWN_APP } };
  }
}

function happened(random: Random): Json {
  const where = { channel: random.pick([CHANNEL, CHANNEL, CHANNEL, ELSEWHERE, "x"]), channel_type: "channel" };
  const event_ts = stamp(random);
  const kind = random.int(10);
  if (kind < 4) return { ...message(random), ...where, event_ts };
  if (kind < 6) {
    const changed = { subtype: "message_changed", message: message(random), previous_message: message(random) };
    return { type: "message", ...changed, ...where, hidden: true, ts: stamp(random), event_ts };
  }
  if (kind === 6) {
    const deleted = { subtype: "message_deleted", deleted_ts: stamp(random), previous_message: message(random) };
    return { type: "message", ...deleted, ...where, hidden: true, ts: stamp(random), event_ts };
  }
  if (kind === 7) {
    const item = { type: "message", channel: where.channel, ts: stamp(random) };
    const reaction = random.pick(["+1", "parrot", "+1::skin-tone-3", text(random, 1)]);
    return {
      type: random.pick(["reaction_added", "reaction_removed"]),
      user: random.pick(PEOPLE),
      reaction,
      item,
      event_ts,
    };
  }
  const renamed = random.chance(0.5) ? where.channel : channel(where.channel, text(random, 1));
  const user = random.chance(0.5) ? random.pick(PEOPLE) : person(random.pick(PEOPLE));
  return { type: random.pick(OTHERS), ...where, channel: renamed, user, inviter: ALICE, event_ts };
}

/** What the server says in a place: as it should be, or changed; now and then deeper than any stack, or long. */
export function body(random: Random, value: unknown): string {
  const rate = random.pick([0.005, 0.03, 0.1]);
  const strange = random.chance(0.7) ? mutatedJson(random, value, KEYS, rate) : value;
  const written = JSON.stringify(strange) ?? "";
  if (random.chance(0.02)) {
    const depth = 20_000;
    return written.replace(/"(?:ts|event|text)":/u, (key) => `"deep":${"[".repeat(depth)}${"]".repeat(depth)},${key}`);
  }
  return random.chance(0.03) ? mutated(random, written) : written;
}

/** An envelope as a socket brings it. */
export const envelope = (id: string, event: Json): Json => ({
  envelope_id: `envelope of ${id}`,
  type: "events_api",
  payload: { type: "event_callback", team_id: TEAM, api_app_id: OWN_APP, event_id: id, event },
});

/** What comes on a socket, or something like it. */
export function frame(random: Random): string {
  if (random.chance(0.02)) return JSON.stringify(json(random, KEYS, 4));
  if (random.chance(0.05)) {
    return body(random, {
      type: random.pick(["hello", "slash_commands", "interactive", "x"]),
      envelope_id: random.pick(["e1", "", 5]),
      payload: { type: random.pick(["app_rate_limited", "event_callback"]) },
    });
  }
  return body(random, envelope(`Ev${random.int(60)}`, happened(random)));
}
