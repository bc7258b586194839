import { once } from "node:events";
import { createRequire } from "node:module";
import net from "node:net";
import { pathToFileURL } from "node:url";
import type * as WebApi from "@slack/web-api";
import { expect, test } from "vitest";
import { needs, pathOf } from "../installed.ts";
import { addPerson, install } from "./people.ts";
import { QUIET } from "./quiet.ts";
import { FakeSlack } from "./server.ts";
import { isRecord } from "./wire.ts";

/** What of the other server the tests use. */
interface Emulate {
  readonly createEmulator: (options: object) => Promise<{ readonly url: string; close(): Promise<void> }>;
}

type Json = Readonly<Record<string, unknown>>;

/** One call and its answer, of the one server and of the other. */
interface Told {
  readonly call: string;
  readonly json: Json;
}

/** Fields that the other server gives and ours does not, for a reason. */
const APART = [
  // Those of a person's own view of a channel, which apps have no use for.
  /\.(is_open|last_read)$/,
  // Ours counts members where it is asked to, as the real one does.
  /channel\.num_members$/,
  // The real one leaves out what people have not filled in.
  /\.profile\.(skype|email|status_emoji_display_info|status_expiration|huddle_state\w*)$/,
  // A message in a name of its own is nobody's, and its picture stands in `icons`.
  /\.messages?\.(user|icon_emoji|reply_broadcast)$/,
  // Files are shared after the answer.
  /\.(shares|channels)\b/,
  // Of the comments that files had once.
  /\.(comments_count|initial_comment)$|^\.paging/,
];

/** Names of all fields, as `messages.text`; ids that are names are left out. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, path));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const at = /^C[A-Z0-9]{8,}$/.test(name) ? path : `${path}.${name}`;
    return [at].concat(fieldsOf(one, at));
  });
}

const textAt = (json: Json, ...names: (string | number)[]): string => {
  let at: unknown = json;
  for (const name of names) at = (at as Record<string | number, unknown> | undefined)?.[name];
  return typeof at === "string" ? at : "";
};

/** The same calls of either server. */
async function ask(client: WebApi.WebClient): Promise<Told[]> {
  const told: Told[] = [];
  const call = async (method: string, args: Record<string, unknown> = {}): Promise<Json> => {
    let json: Json;
    try {
      json = { ...(await client.apiCall(method, args)) };
    } catch (error) {
      json = (error as { data: Json }).data;
    }
    const { response_metadata: _, ...rest } = json;
    told.push({ call: `${told.length} ${method}`, json: rest });
    return json;
  };
  const { channels } = (await call("conversations.list")) as unknown as { channels: { id: string; name: string }[] };
  const channel = channels.find(({ name }) => name === "dock")?.id ?? "";
  for (const method of ["join", "info", "members"]) await call(`conversations.${method}`, { channel });
  const { members } = (await call("users.list")) as unknown as { members: { id: string; name: string }[] };
  await call("users.info", { user: members.find(({ name }) => name === "alice")?.id });
  await call("users.info", { user: "U00000000" });
  await call("team.info");
  const ts = textAt(await call("chat.postMessage", { channel, text: "one *b*" }), "ts");
  const metadata = { event_type: "an_event", event_payload: { a: 1 } };
  const as = { username: "Harbour", icon_emoji: ":tada:", metadata };
  const other = textAt(await call("chat.postMessage", { channel, text: "named", ...as }), "ts");
  const reply = textAt(await call("chat.postMessage", { channel, text: "reply", thread_ts: ts }), "ts");
  await call("chat.postMessage", { channel, text: "all", thread_ts: ts, reply_broadcast: true });
  await call("chat.postMessage", { channel });
  await call("chat.postMessage", { channel: "C00000000", text: "x" });
  await call("chat.meMessage", { channel, text: "waves" });
  await call("chat.update", { channel, ts: other, text: "changed" });
  await call("chat.update", { channel, ts: "1.000001", text: "changed" });
  await call("chat.getPermalink", { channel, message_ts: reply });
  await call("conversations.history", { channel, include_all_metadata: true });
  await call("conversations.replies", { channel, ts });
  const one = { channel, timestamp: ts, name: "tada" };
  for (const what of ["add", "add", "get", "remove", "remove"]) await call(`reactions.${what}`, one);
  await call("reactions.add", { ...one, timestamp: "1.000001" });
  await call("conversations.setTopic", { channel, topic: "tide" });
  const slot = await call("files.getUploadURLExternal", { filename: "a.txt", length: 4 });
  const sent = await fetch(textAt(slot, "upload_url"), { method: "POST", body: "ship" });
  told.push({ call: "upload", json: { ok: sent.status === 200, error: "" } });
  const files = [{ id: textAt(slot, "file_id"), title: "A" }];
  await call("files.completeUploadExternal", { files, channel_id: channel, initial_comment: "look" });
  await call("files.info", { file: textAt(slot, "file_id") });
  await call("files.info", { file: "F00000000" });
  for (const gone of [other, other, ts]) await call("chat.delete", { channel, ts: gone });
  await call("conversations.replies", { channel, ts });
  return told;
}

/** The other server has to be told its port. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

needs(["@slack/web-api", "emulate"], () => {
  test("another's server says what ours says: the same refusals, and no field that ours lacks", async () => {
    const { WebClient } = createRequire(import.meta.url)(pathOf("@slack/web-api")) as typeof WebApi;
    const { createEmulator } = (await import(pathToFileURL(pathOf("emulate")).href)) as Emulate;
    const make = (slackApiUrl: string, token: string): WebApi.WebClient =>
      new WebClient(token, { slackApiUrl, retryConfig: { retries: 0 }, logger: QUIET as unknown as WebApi.Logger });
    const server = await FakeSlack.start();
    const team = server.world.addTeam("Crew");
    const alice = addPerson(server, team, "alice", { real_name: "Alice" });
    const app = install(server, team, "rialto", [server.world.addChannel(team.id, "dock", alice.id)]);
    const people = { users: [{ name: "alice", real_name: "Alice" }], bots: [{ name: "rialto" }] };
    const slack = { team: { name: "Crew", domain: "crew" }, channels: [{ name: "dock" }], ...people };
    const tokens = { "xoxb-one": { login: "rialto", scopes: ["chat:write"] } };
    const port = await freePort();
    const other = await createEmulator({ service: "slack", port, seed: { tokens, slack } });
    const [ours, theirs] = [await ask(make(server.url, app.token)), await ask(make(`${other.url}/api/`, "xoxb-one"))];
    await other.close();
    await server.stop();
    const verdicts = (all: readonly Told[]): unknown[] =>
      all.map(({ call, json: { ok, error = "" } }) => `${call} ${String(ok)} ${textAt({ error }, "error")}`);
    expect(verdicts(ours)).toEqual(verdicts(theirs));
    const lacking = theirs.map(({ call, json }, at) => {
      const known = new Set(fieldsOf(ours[at]?.json));
      return [call, fieldsOf(json).filter((field) => !known.has(field) && !APART.some((one) => one.test(field)))];
    });
    expect(lacking.filter(([, fields]) => fields!.length > 0)).toEqual([]);
  });
});
