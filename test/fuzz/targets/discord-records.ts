import type { Json } from "../../../src/adapters/kit/json.ts";
import type { Random } from "../random.ts";
import { json, mutated, mutatedJson, text } from "../text.ts";

export const GUILD = "100000000000000001";
export const CHANNEL = "100000000000000002";
export const OWN = "100000000000000003";
const ELSEWHERE = "100000000000000004";
const ALICE = "100000000000000005";
const HOOK = "100000000000000006";
const EPOCH = 1_420_070_400_000;
const BEGAN = Date.UTC(2026, 0, 1);

/** The id of a message of a moment: `number` seconds after the fuzzer's time began. */
export const idAt = (number: number): string => String(BigInt(BEGAN + number * 1_000 - EPOCH) << 22n);

const PEOPLE = [OWN, ALICE, "100000000000000007", "", "0", "../x", "\ud800", "99999999999999999999999"];
const TIMES = ["2026-01-01T00:00:01.000000+00:00", null, "", "x", "+275760-09-13T00:00:00.001Z", 5];
const SAID =
  "MESSAGE_CREATE MESSAGE_CREATE MESSAGE_CREATE MESSAGE_UPDATE MESSAGE_DELETE MESSAGE_DELETE_BULK MESSAGE_REACTION_ADD MESSAGE_REACTION_REMOVE MESSAGE_REACTION_REMOVE_ALL MESSAGE_REACTION_REMOVE_EMOJI THREAD_CREATE".split(
    " ",
  );
/** What may bring us out of the channel or the guild, and what means nothing. */
const OTHERS =
  "GUILD_MEMBER_ADD GUILD_MEMBER_UPDATE GUILD_MEMBER_REMOVE CHANNEL_CREATE CHANNEL_UPDATE CHANNEL_DELETE THREAD_UPDATE THREAD_DELETE THREAD_LIST_SYNC GUILD_UPDATE GUILD_CREATE GUILD_ROLE_CREATE GUILD_ROLE_UPDATE GUILD_ROLE_DELETE GUILD_EMOJIS_UPDATE WEBHOOKS_UPDATE TYPING_START READY RESUMED NEW_EVENT".split(
    " ",
  );
const KEYS =
  "id type content channel_id guild_id author member user nick roles avatar username global_name discriminator bot timestamp edited_timestamp attachments filename description size url content_type embeds title fields value footer components sticker_items poll question answers poll_media text results message_snapshots message message_reference message_id referenced_message mentions mention_roles mention_everyone reactions emoji name me count nonce flags webhook_id application_id thread thread_metadata archived locked parent_id owner_id last_message_id permission_overwrites allow deny permissions ids user_id topic channels threads members emojis premium_tier unavailable joined_at retry_after global code errors __proto__ constructor position rate_limit_per_user token".split(
    " ",
  );

const user = (id: string): Json => ({ id, username: "alice", discriminator: "0", global_name: "Alice", avatar: null });
const ME: Json = {
  id: OWN,
  username: "rialto",
  discriminator: "0420",
  global_name: null,
  bot: true,
  avatar: null,
};
const role = { id: GUILD, name: "@everyone", permissions: String(2n ** 53n - 1n), position: 0 };
const member = (id: string): Json => ({ user: user(id), nick: null, roles: [], avatar: null });
const channel = (id: string, name: string, type = 0): Json => ({
  id,
  type,
  guild_id: GUILD,
  name,
  parent_id: null,
  position: 0,
  topic: null,
  last_message_id: null,
  permission_overwrites: [],
  rate_limit_per_user: 0,
});

/** The guild as it should be. */
export const guild: Json = {
  id: GUILD,
  name: "Crew",
  owner_id: ALICE,
  premium_tier: 0,
  roles: [role],
  emojis: [{ id: "100000000000000008", name: "parrot", animated: false, available: true }],
  members: [{ user: ME, nick: null, roles: [], avatar: null }],
  channels: [channel(CHANNEL, "town"), channel(ELSEWHERE, "elsewhere")],
  threads: [],
  member_count: 2,
  large: false,
  unavailable: false,
};
const hook = {
  id: HOOK,
  type: 1,
  channel_id: CHANNEL,
  guild_id: GUILD,
  name: "Rialto",
  token: "t0ken",
  application_id: OWN,
};

const emoji = (random: Random): Json => ({
  id: random.pick([null, null, "100000000000000008", "x"]),
  name: random.pick(["👍", "parrot", "", null, text(random, 1)]),
});

const embed = (random: Random): Json => ({
  type: random.pick(["rich", "link", "poll_result", "x"]),
  title: text(random, 3),
  description: text(random, 5),
  url: random.pick(["https://e.example", "x"]),
  author: { name: text(random, 2) },
  fields: random.some(3, () => ({ name: text(random, 1), value: text(random, 3) })),
  footer: { text: text(random, 2) },
});

/** What else may be in a message. */
function extras(random: Random): Json {
  const parts: readonly (() => Json)[] = [
    () => ({ embeds: random.some(3, () => embed(random)) }),
    () => ({ sticker_items: [{ id: "1", name: text(random, 1), format_type: random.int(6) }] }),
    () => ({
      poll: {
        question: { text: text(random, 3) },
        answers: random.some(4, () => ({ answer_id: random.int(4), poll_media: { text: text(random, 2) } })),
        results: { is_finalized: random.chance(0.5), answer_counts: [{ id: random.int(4), count: 1e300 }] },
      },
    }),
    () => ({
      message_snapshots: [{ message: { content: text(random), embeds: [embed(random)], attachments: [file(random)] } }],
      message_reference: { type: 1, message_id: idAt(1), channel_id: ELSEWHERE },
    }),
    () => ({
      components: [
        {
          type: 1,
          components: [
            { type: 2, label: text(random, 2) },
            { type: 10, content: "x" },
          ],
        },
      ],
    }),
    () => ({ attachments: random.some(4, () => file(random)), flags: random.pick([0, 8192, 4, -1, 1e300]) }),
    () => ({ message_reference: { message_id: idAt(random.int(40)), channel_id: CHANNEL } }),
    () => ({ mentions: [{ ...user(random.pick(PEOPLE)), member: { nick: text(random, 2) } }], mention_everyone: true }),
    () => ({ reactions: [{ emoji: emoji(random), count: 1, me: random.chance(0.5) }] }),
    () => ({ webhook_id: HOOK, application_id: random.pick([OWN, null]) }),
    () => ({ nonce: random.pick(["op 1", 5, text(random, 1)]) }),
  ];
  return Object.assign({}, ...random.some(4, () => random.pick(parts)())) as Json;
}

const file = (random: Random): Json => ({
  id: random.pick(["1", text(random, 1)]),
  filename: text(random, 2),
  size: random.pick([0, 1, 1e300, -1]),
  url: random.pick(["https://cdn.example/a", "javascript:x", ""]),
  content_type: random.pick(["text/plain", "", null]),
  description: text(random, 2),
});

function message(random: Random): Json {
  const id = idAt(random.int(40));
  return {
    id,
    channel_id: random.pick([CHANNEL, CHANNEL, CHANNEL, ELSEWHERE, idAt(1)]),
    guild_id: GUILD,
    type: random.pick([0, 0, 0, 19, 6, 7, 8, 18, 20, 21, 46, 999]),
    author: user(random.pick(PEOPLE)),
    member: random.chance(0.5) ? { nick: text(random, 2), roles: [] } : undefined,
    content: random.chance(0.3) ? `${text(random)} <@${random.pick(PEOPLE)}> <#${CHANNEL}>` : text(random, 20),
    timestamp: random.pick(TIMES),
    edited_timestamp: random.chance(0.4) ? random.pick(TIMES) : null,
    ...extras(random),
  };
}

/** What `GET …/messages` answers. */
export const messages = (random: Random): unknown => random.some(8, () => message(random));

/** A good message, as an event has it. */
export const said = (id: string, content: string): Json => ({
  id,
  channel_id: CHANNEL,
  guild_id: GUILD,
  type: 0,
  author: user(ALICE),
  member: { nick: null, roles: [] },
  content,
  timestamp: "2026-01-01T00:10:00.000000+00:00",
  edited_timestamp: null,
  attachments: [],
  embeds: [],
  mentions: [],
});

/** What the server would answer to a request. */
export function sound(ask: string): unknown {
  if (ask === "GET /users/@me") return ME;
  if (ask.endsWith("applications/@me")) return { id: OWN, name: "rialto", bot: ME, flags: 565_248 };
  if (ask === "GET /users/@me/guilds") return [{ id: GUILD, name: "Crew" }];
  if (ask === "GET /gateway/bot") {
    const limit = { total: 1000, remaining: 999, reset_after: 1, max_concurrency: 1 };
    return { url: "wss://gateway.example", shards: 1, session_start_limit: limit };
  }
  if (/\/threads\/(?:active|archived)/u.test(ask)) return { threads: [], members: [], has_more: false };
  if (/^GET .*\/members\/search$/u.test(ask)) return [member(ALICE)];
  if (/\/members\//u.test(ask)) return member(ALICE);
  if (ask.endsWith("/channels")) return guild["channels"];
  if (/^GET \/guilds\/[^/]+$/u.test(ask)) return guild;
  if (/^GET .*\/messages$/u.test(ask)) return [];
  if (/^GET .*\/webhooks$/u.test(ask)) return [hook];
  if (/^POST .*\/webhooks$/u.test(ask)) return hook;
  if (ask.endsWith("/threads")) return { ...channel(idAt(5), "talk", 11), message: said(idAt(5), "a post") };
  if (/^GET \/channels\/[^/]+$/u.test(ask)) return channel(CHANNEL, "town");
  if (/^DELETE|^PUT/u.test(ask)) return null;
  return { ...said(idAt(50), "a post"), author: ME };
}

function data(random: Random, event: string): unknown {
  const about = { channel_id: random.pick([CHANNEL, CHANNEL, ELSEWHERE]), guild_id: GUILD };
  const id = idAt(random.int(40));
  if (event === "MESSAGE_CREATE" || event === "MESSAGE_UPDATE") return message(random);
  if (event.startsWith("MESSAGE_REACTION")) {
    return { ...about, message_id: id, user_id: random.pick(PEOPLE), emoji: emoji(random), member: member(ALICE) };
  }
  if (event.startsWith("MESSAGE_DELETE")) return { ...about, id, ids: random.some(5, () => idAt(random.int(40))) };
  if (event === "THREAD_LIST_SYNC") return { guild_id: GUILD, threads: [thread(random)], members: [] };
  if (event.startsWith("THREAD")) return thread(random);
  if (event.startsWith("CHANNEL")) {
    const deny = { id: GUILD, type: 0, allow: "0", deny: random.pick(["1024", "0", "x", 1e300]) };
    const overwrites = { permission_overwrites: random.chance(0.5) ? [deny] : [] };
    return { ...channel(random.pick([CHANNEL, ELSEWHERE]), text(random, 1)), ...overwrites, topic: text(random, 2) };
  }
  if (event.startsWith("GUILD_MEMBER")) {
    return { ...member(random.pick(PEOPLE)), nick: text(random, 2), guild_id: GUILD };
  }
  if (event.startsWith("GUILD_ROLE")) {
    const permissions = random.pick(["0", "-1", "x", role.permissions]);
    return { guild_id: GUILD, role_id: GUILD, role: { ...role, permissions } };
  }
  if (event === "READY") return { session_id: "s2", resume_gateway_url: "wss://gateway.example", user: ME, guilds: [] };
  if (event === "GUILD_EMOJIS_UPDATE") return { guild_id: GUILD, emojis: random.some(3, () => emoji(random)) };
  return { ...guild, id: random.pick([GUILD, "1"]), guild_id: GUILD, channel_id: CHANNEL };
}

const thread = (random: Random): Json => ({
  ...channel(idAt(random.int(40)), text(random, 2), random.pick([10, 11, 12])),
  parent_id: random.pick([CHANNEL, ELSEWHERE, ""]),
  thread_metadata: { archived: random.chance(0.3), locked: random.chance(0.3) },
  newly_created: random.chance(0.5),
});

/** What the server says in a place: as it should be, or changed; now and then deeper than any stack, or long. */
export function body(random: Random, value: unknown): string {
  const rate = random.pick([0.005, 0.03, 0.1]);
  const strange = random.chance(0.7) ? mutatedJson(random, value, KEYS, rate) : value;
  const written = JSON.stringify(strange) ?? "";
  if (random.chance(0.02)) {
    const depth = 20_000;
    return written.replace(/"(?:id|d|content)":/u, (key) => `"deep":${"[".repeat(depth)}${"]".repeat(depth)},${key}`);
  }
  return random.chance(0.03) ? mutated(random, written) : written;
}

/** A payload of the gateway, or something like it. */
export function payload(random: Random): string {
  if (random.chance(0.02)) return JSON.stringify(json(random, KEYS, 4));
  if (random.chance(0.05)) {
    return body(random, {
      op: random.pick([1, 11, 0, 99, -1, "x"]),
      d: random.pick([null, true, 5]),
      s: null,
      t: null,
    });
  }
  const event = random.pick(random.chance(0.85) ? SAID : OTHERS);
  const seq = random.pick([1, 2, 3, 40, -1, 0.5, 1e15, 1e300, null]);
  return body(random, { op: 0, t: event, s: seq, d: data(random, event) });
}
