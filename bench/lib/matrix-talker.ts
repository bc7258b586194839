import { setTimeout as delay } from "node:timers/promises";
import { SERVER_NAME } from "../../test/servers/matrix/synapse.ts";
import { soon, type Talker, type TalkerOptions } from "./talker.ts";

const PASSWORD = "open-sesame";
const POLL_MS = 10_000;
const ANSWER_MS = 60_000;
const AGAIN_MS = 200;
/** All of a burst in one answer: what is left out would have to be asked for. */
const FILTER = encodeURIComponent(JSON.stringify({ room: { timeline: { limit: 1000 } } }));

type Json = Readonly<Record<string, unknown>>;
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

/** Makes a user with this name; resolves with its token. */
export async function registerOn(server: string, username: string): Promise<string> {
  const auth = { type: "m.login.dummy" };
  const made = await ask(server, "POST", "register", null, { username, password: PASSWORD, auth });
  return String(made["access_token"]);
}

/**
 * Somebody on a homeserver: requests, and a long poll. Rooms are aliases of the server; the first who names one makes
 * it.
 */
export async function matrixTalker(server: string, { rooms, nick, heard }: TalkerOptions): Promise<Talker> {
  const token = await registerOn(server, nick);
  const user = `@${nick}:${SERVER_NAME}`;
  const ids = new Map<string, string>();
  for (const room of rooms) {
    const entered = await ask(server, "POST", `join/${encodeURIComponent(`#${room}:${SERVER_NAME}`)}`, token, {}).catch(
      () => null,
    );
    const made =
      entered ?? (await ask(server, "POST", "createRoom", token, { room_alias_name: room, preset: "public_chat" }));
    ids.set(String(made["room_id"]), room);
  }
  const roomOf = new Map(Array.from(ids, ([id, room]) => [room, id]));
  const over = new AbortController();
  let listening = false;
  const take = (room: string, event: Json): void => {
    if (event["sender"] === user) return;
    const content = object(event["content"]);
    const relation = object(content["m.relates_to"]);
    if (event["type"] === "m.reaction") heard({ room, kind: "reaction", text: String(relation["key"]) });
    if (event["type"] !== "m.room.message") return;
    const isEdit = relation["rel_type"] === "m.replace";
    heard({
      room,
      kind: isEdit ? "edit" : "message",
      text: String((isEdit ? object(content["m.new_content"]) : content)["body"]),
    });
  };
  const listen = async (): Promise<void> => {
    for (let since = ""; !over.signal.aborted;) {
      const query = since === "" ? "timeout=0" : `timeout=${POLL_MS}&since=${since}`;
      const answer = await ask(server, "GET", `sync?filter=${FILTER}&${query}`, token, null, over.signal).catch(
        () => null,
      );
      if (answer === null) {
        await delay(AGAIN_MS);
        continue;
      }
      const first = since === "";
      since = encodeURIComponent(String(answer["next_batch"]));
      listening = true;
      for (const [id, joined] of Object.entries(object(object(answer["rooms"])["join"]))) {
        const events = object(object(joined)["timeline"])["events"] as readonly Json[];
        if (!first) for (const event of events) take(ids.get(id) ?? "", event);
      }
    }
  };
  const listener = listen();
  await soon(`${nick} to listen`, () => listening);
  return {
    say: async (room, body) => {
      const path = `rooms/${encodeURIComponent(roomOf.get(room) ?? "")}/send/m.room.message/${crypto.randomUUID()}`;
      await ask(server, "PUT", path, token, { msgtype: "m.text", body });
    },
    stop: async () => {
      over.abort();
      await listener;
    },
  };
}

async function ask(
  server: string,
  method: string,
  path: string,
  token: string | null,
  body: Json | null,
  signal?: AbortSignal,
): Promise<Json> {
  const limit = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(`${server}/_matrix/client/v3/${path}`, {
    method,
    signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  const json = object(await answer.json());
  if (!answer.ok) throw new Error(`the homeserver answers ${answer.status} to ${path}: ${JSON.stringify(json)}`);
  return json;
}
