import { Client } from "../../../src/adapters/matrix/client.ts";
import type { Http, HttpAnswer, HttpRequest } from "../../../src/adapters/kit/http.ts";
import { MatrixSession } from "../../../src/adapters/matrix/live.ts";
import { matrixSettings } from "../../../src/adapters/matrix/settings.suite.ts";
import type { Cursor } from "../../../src/contract/ids.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { json, mutated, mutatedJson, text } from "../text.ts";
import { cross } from "./crossing.ts";

const ROOM = "!town:e.example";
const OWN = "@rialto:e.example";
const PEOPLE = [OWN, "@alice:e.example", "@bob:e.example", "@ghost:e.example", "", "@", "@\ud800:x"];
const TYPES =
  "m.room.message m.room.message m.room.message m.sticker m.poll.start m.reaction m.room.redaction m.room.member m.room.topic m.room.encryption m.room.encrypted m.room.tombstone m.room.power_levels m.room.name x".split(
    " ",
  );
const KEYS =
  "event_id type sender state_key origin_server_ts content unsigned redacts body msgtype format formatted_body url file info size mimetype filename m.relates_to rel_type event_id key m.in_reply_to m.new_content is_falling_back membership displayname avatar_url prev_content transaction_id topic m.topic m.text replacement_room users users_default events events_default rooms join leave invite timeline state events limited prev_batch next_batch chunk end start joined errcode error retry_after_ms __proto__ constructor m.poll question answers geo_uri shortcode".split(
    " ",
  );

const relation = (random: Random): unknown =>
  random.pick<unknown>([
    undefined,
    { rel_type: "m.replace", event_id: "$1" },
    { rel_type: "m.thread", event_id: "$1", is_falling_back: true, "m.in_reply_to": { event_id: "$2" } },
    { "m.in_reply_to": { event_id: "$1" } },
    { rel_type: "m.annotation", event_id: "$1", key: text(random, 1) },
    { rel_type: "m.annotation", event_id: "$1", key: "mxc://e.example/a" },
  ]);

function content(random: Random): unknown {
  const said = {
    body: text(random, 20),
    msgtype: random.pick(["m.text", "m.emote", "m.notice", "m.image", "m.location", "x"]),
  };
  const html = {
    format: "org.matrix.custom.html",
    formatted_body: random.chance(0.7) ? `<mx-reply><b>q</b></mx-reply><p>${text(random, 20)}</p>` : text(random),
  };
  return {
    ...said,
    ...(random.chance(0.5) && html),
    ...(random.chance(0.4) && { "m.new_content": { ...said, ...html } }),
    "m.relates_to": relation(random),
    ...(random.chance(0.2) && {
      url: "mxc://e.example/a",
      filename: text(random, 2),
      info: { size: 1e300, mimetype: "x" },
    }),
    ...(random.chance(0.3) && {
      membership: random.pick(["join", "leave", "ban", "invite", "knock"]),
      displayname: text(random, 2),
      reason: text(random, 3),
      topic: text(random, 3),
      replacement_room: "!next:e.example",
      "m.poll": { question: { body: "?" }, answers: [{ body: text(random, 2) }] },
      shortcode: text(random, 1),
    }),
  };
}

function event(random: Random): unknown {
  const state = random.chance(0.3);
  return {
    event_id: `$${random.int(40)}`,
    type: random.pick(TYPES),
    sender: random.pick(PEOPLE),
    origin_server_ts: random.pick([1767225600000, 0, -1, 1e300, 8.64e15]),
    content: content(random),
    ...(state && { state_key: random.pick(["", ...PEOPLE]) }),
    ...(random.chance(0.1) && { redacts: "$1" }),
    unsigned: random.chance(0.3)
      ? { prev_content: { membership: random.pick(["join", "leave"]) }, transaction_id: text(random, 1) }
      : {},
  };
}

function page(random: Random): unknown {
  return {
    chunk: random.some(6, () => event(random)),
    start: "a",
    end: random.pick(["b", "c", null]),
    state: random.some(2, () => event(random)),
  };
}

function sync(random: Random, turn: number): unknown {
  const timeline = { events: random.some(8, () => event(random)), limited: random.chance(0.2), prev_batch: "p" };
  const part = { timeline, state: { events: random.some(3, () => event(random)) } };
  return {
    next_batch: `s${turn}`,
    rooms: {
      ...(random.chance(0.9) && { join: { [ROOM]: part } }),
      ...(random.chance(0.1) && { leave: { [random.pick([ROOM, "!other:x"])]: part } }),
      ...(random.chance(0.1) && { invite: { [ROOM]: {} } }),
    },
  };
}

/** What the homeserver says in a place: as it should be, or changed; now and then deeper than any stack. */
function body(random: Random, sound: unknown): string {
  const changed = random.chance(0.7) ? mutatedJson(random, sound, KEYS, random.pick([0.005, 0.03, 0.1])) : sound;
  const written = JSON.stringify(changed) ?? "";
  if (random.chance(0.02)) {
    const depth = 20_000;
    return written.replace(
      /"(?:body|start|room_id|next_batch)":/u,
      (key) => `"deep":${"[".repeat(depth)}${"]".repeat(depth)},${key}`,
    );
  }
  return random.chance(0.03) ? mutated(random, written) : written;
}

/** A homeserver that the fuzzer is: its answers to /sync are given, and then it is gone. */
class Homeserver {
  readonly #random: Random;
  readonly #syncs: readonly string[];
  #turn = 0;
  readonly asked: string[] = [];

  constructor(random: Random, syncs: readonly string[]) {
    this.#random = random;
    this.#syncs = syncs;
  }

  close(): void {}

  request({ url }: HttpRequest): Promise<HttpAnswer> {
    const random = this.#random;
    const path = url.pathname;
    if (path.endsWith("/sync")) {
      const next = this.#syncs[this.#turn];
      this.#turn += 1;
      if (next !== undefined) return this.#answer(random.chance(0.02) ? random.pick([400, 404, 429, 500]) : 200, next);
      return Promise.resolve({ is: "failed", why: "network", message: "it is gone", certain: true });
    }
    if (path.includes("/join/")) return this.#answer(200, body(random, { room_id: ROOM }));
    if (path.endsWith("/joined_members")) {
      const joined = Object.fromEntries(
        PEOPLE.map((one) => [one, { display_name: text(random, 2), avatar_url: "mxc://e.example/a" }]),
      );
      return this.#answer(200, body(random, { joined }));
    }
    if (path.endsWith("/messages")) return this.#answer(random.chance(0.1) ? 403 : 200, body(random, page(random)));
    if (path.endsWith("/m.room.power_levels/"))
      return this.#answer(200, body(random, { users: { [OWN]: 50 }, events: {}, events_default: 0 }));
    return this.#answer(404, body(random, { errcode: "M_NOT_FOUND", error: text(random) }));
  }

  #answer(status: number, said: string): Promise<HttpAnswer> {
    return Promise.resolve({ is: "answer", status, headers: {}, text: said });
  }
}

async function live(random: Random, syncs: readonly string[]): Promise<void> {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const http = new Homeserver(random, syncs) as unknown as Http;
  const client = new Client({ http, server: "https://e.example", token: "t" });
  const settings = matrixSettings({ Server: "https://e.example", Login: "rialto", UseUserName: random.chance(0.2) });
  const session = new MatrixSession({
    http,
    client,
    settings,
    host,
    user: OWN,
    authenticatedMedia: true,
    ghosts: null,
    since: "s" as Cursor,
  });
  const joined = session.join({ name: ROOM, options: {} }, new AbortController().signal);
  const state = { over: false };
  const ended = session.ended.finally(() => (state.over = true));
  ended.catch(() => undefined);
  for (let turn = 0; turn < 200 && !state.over; turn += 1) await clock.advance(turn < 3 ? 0 : 600_000);
  if (!state.over) throw new Error("the session does not end though its server is gone");
  await Promise.all([joined, ended]);
  for (const { fields, message } of host.records) {
    if (message.includes("bug")) throw new Error(`${message}: ${JSON.stringify(fields)}`);
  }
  cross(host.events);
}

/** Answers of a homeserver, through a whole session. */
export const matrix: Target = {
  name: "matrix",
  make: (random): Case => {
    let turn = 0;
    const syncs = random.chance(0.02)
      ? [JSON.stringify(json(random, KEYS, 4))]
      : random.some(6, () => body(random, sync(random, (turn += 1))));
    return { show: () => syncs.join("\n"), run: async () => await live(random, syncs) };
  },
};
