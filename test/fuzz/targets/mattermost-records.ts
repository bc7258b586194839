import type { Json } from "../../../src/adapters/kit/json.ts";
import type { MattermostUser } from "../../../src/adapters/mattermost/model.ts";
import type { Random } from "../random.ts";
import { json, mutated, mutatedJson, text } from "../text.ts";

export const CHANNEL = "channel1";
export const TEAM = "team1";
const OWN = "me1";
const PEOPLE = [OWN, "alice1", "bob1", "", "../x", "\ud800"];
const TIMES = [1767225600000, 1767225600001, 0, -1, 1e300, 8.64e15, 9e15, 1.5];
const SAID = "posted posted posted post_edited post_deleted reaction_added reaction_removed user_updated".split(" ");
/** What may bring us out of the channel, and what means nothing. */
const OTHERS =
  "user_added user_removed channel_deleted channel_restored channel_updated leave_team delete_team typing hello new_event".split(
    " ",
  );
const KEYS =
  "id event data broadcast seq seq_reply status error status_code post channel_id user_id root_id original_id message type create_at update_at edit_at delete_at reply_count props file_ids metadata files reactions emoji_name post_id reaction sender_name attachments override_username deleteBy addedUserId username nickname is_bot order posts server_time connection_id team channel team_id delete_at name __proto__ constructor has_reactions rialto_op rialto_part mentions retry_layout".split(
    " ",
  );

export const ME: MattermostUser = {
  id: OWN,
  username: "rialto",
  nickname: "",
  firstName: "",
  lastName: "",
  isBot: true,
  deleteAt: 0,
  pictureAt: 0,
};

const alice = { id: "alice1", username: "alice", nickname: "Alice", create_at: 1, delete_at: 0 };
const reaction = (random: Random): unknown => ({
  user_id: random.pick(PEOPLE),
  post_id: `p${random.int(40)}`,
  emoji_name: random.pick(["thumbsup", "+1", "x", text(random, 1)]),
  create_at: random.pick(TIMES),
});

function props(random: Random): unknown {
  return random.pick<() => unknown>([
    () => ({}),
    () => null,
    () => ({ rialto_op: "op 1", rialto_part: text(random, 1) }),
    () => ({ override_username: text(random, 2), from_webhook: "true" }),
    () => ({ deleteBy: random.pick(PEOPLE), addedUserId: random.pick(PEOPLE), addedUsername: text(random, 1) }),
    () => ({ attachments: [{ text: text(random), fields: [{ title: "a", value: 1 }], pretext: text(random, 2) }] }),
    () => ({ username: text(random, 1), new_header: text(random, 3), message: text(random, 2) }),
  ])();
}

function post(random: Random): { readonly id: string } & Json {
  return {
    id: `p${random.int(40)}`,
    channel_id: random.chance(0.9) ? CHANNEL : "channel2",
    user_id: random.pick(PEOPLE),
    root_id: random.chance(0.3) ? `p${random.int(40)}` : "",
    original_id: random.chance(0.1) ? "p1" : "",
    message: text(random, 20),
    type: random.pick(["", "", "", "me", "system_join_channel", "system_add_to_channel", "system_header_change", "x"]),
    create_at: random.pick(TIMES),
    update_at: random.pick(TIMES),
    edit_at: random.chance(0.3) ? random.pick(TIMES) : 0,
    delete_at: random.chance(0.2) ? random.pick(TIMES) : 0,
    reply_count: random.pick([0, 0, 3, -1, 1e300]),
    props: props(random),
    ...(random.chance(0.2) && { file_ids: ["f1", text(random, 1)], has_reactions: true }),
    metadata: random.chance(0.3)
      ? { reactions: random.some(3, () => reaction(random)), files: [{ id: "f1", name: text(random, 1), size: 1e300 }] }
      : {},
  };
}

/** What `GET …/posts` answers. */
export function posts(random: Random): unknown {
  const list = random.some(8, () => post(random));
  return {
    order: [...list.map(({ id }) => id), ...random.some(2, () => text(random, 1))],
    posts: Object.fromEntries(list.map((one) => [one.id, one] as const)),
  };
}

/** A post as an event has it. */
export function record(id: string, message: string): { readonly data: Json; readonly broadcast: Json } {
  return {
    data: { post: JSON.stringify(said(id, message)), sender_name: "@alice" },
    broadcast: { channel_id: CHANNEL },
  };
}

const said = (id: string, message: string): Json => ({
  id,
  channel_id: CHANNEL,
  user_id: "alice1",
  message,
  type: "",
  create_at: 1767225700000,
  update_at: 1767225700000,
  props: {},
});

/** What the server would answer to a request. */
export function sound(ask: string): unknown {
  if (ask.includes("/channels/name/"))
    return { id: CHANNEL, team_id: TEAM, type: "O", name: "town", display_name: "Town", delete_at: 0, last_post_at: 1 };
  if (ask === "POST /users/ids") return [alice];
  if (/\/users\/[^/]+$/u.test(ask)) return alice;
  if (/^GET .*\/posts$/u.test(ask)) return { order: [], posts: {} };
  if (ask.includes("/posts")) return said("mine", "a post");
  return { id: "x1", user_id: OWN, status: "OK" };
}

export function config(random: Random): Json {
  const value = (): string => random.pick(["true", "false", "", "4000", "0", "-1", "x", "99999999999999999999"]);
  return { MaxPostSize: value(), MaxFileSize: value(), EnablePostUsernameOverride: value() };
}

function data(random: Random, event: string): unknown {
  const as = (value: unknown): unknown => (random.chance(0.9) ? JSON.stringify(value) : value);
  if (event.startsWith("reaction")) return { reaction: as(reaction(random)) };
  if (event.startsWith("post")) return { post: as(post(random)), sender_name: `@${text(random, 1)}` };
  if (event === "hello") return { connection_id: random.pick(["c1", "c2", ""]), server_version: text(random, 1) };
  const user = random.pick(PEOPLE);
  return {
    user: { ...alice, id: user, nickname: text(random, 2) },
    user_id: user,
    channel_id: CHANNEL,
    team_id: random.pick([TEAM, "team2"]),
    channel: as({ id: CHANNEL, delete_at: random.pick(TIMES), name: text(random, 1), type: "O" }),
    team: as({ id: random.pick([TEAM, "team2"]), delete_at: 1 }),
    delete_at: random.pick(TIMES),
  };
}

function frame(random: Random): unknown {
  if (random.chance(0.05)) {
    const status = random.pick([200, 400, 401, 500, "401"]);
    return { status: "FAIL", error: { id: text(random, 1), status_code: status }, seq_reply: random.int(5) };
  }
  if (random.chance(0.05)) return { status: "OK", data: { server_time: random.pick(TIMES) }, seq_reply: random.int(5) };
  const event = random.pick(random.chance(0.9) ? SAID : OTHERS);
  const broadcast = { channel_id: random.pick([CHANNEL, CHANNEL, ""]), user_id: random.pick(PEOPLE), team_id: "" };
  return { event, data: data(random, event), broadcast, seq: random.pick([0, 1, 2, 3, 40, -1, 0.5, 1e15, 1e300]) };
}

/** What the server says in a place: as it should be, or changed; now and then deeper than any stack, or long. */
export function body(random: Random, value: unknown): string {
  const rate = random.pick([0.005, 0.03, 0.1]);
  const strange = random.chance(0.7) ? mutatedJson(random, value, KEYS, rate) : value;
  const written = JSON.stringify(strange) ?? "";
  if (random.chance(0.02)) {
    const depth = 20_000;
    return written.replace(
      /"(?:id|data|order|event)":/u,
      (key) => `"deep":${"[".repeat(depth)}${"]".repeat(depth)},${key}`,
    );
  }
  return random.chance(0.03) ? mutated(random, written) : written;
}

/** An event of the stream, or something like it. */
export function changed(random: Random): string {
  if (random.chance(0.02)) return JSON.stringify(json(random, KEYS, 4));
  return body(random, frame(random));
}
