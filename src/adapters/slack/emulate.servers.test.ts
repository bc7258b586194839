import { once } from "node:events";
import net from "node:net";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { CountingClock } from "../../../test/contract/recording-host.ts";
import { needs, pathOf } from "../../../test/servers/installed.ts";
import { Http } from "../kit/http.ts";
import { SlackApi } from "./api.ts";
import type { SlackResult } from "./result.ts";
import { apiOf } from "./settings.ts";
import { SlackWeb } from "./web.ts";

/** What of the other server the tests use. */
interface Emulate {
  readonly createEmulator: (options: object) => Promise<{ readonly url: string; close(): Promise<void> }>;
}

const signal = new AbortController().signal;

function good<T>(result: SlackResult<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
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

async function emulated(token: string): Promise<SlackApi> {
  const { createEmulator } = (await import(pathToFileURL(pathOf("emulate")).href)) as Emulate;
  const users = [{ name: "alice", real_name: "Alice" }];
  const slack = {
    team: { name: "Crew", domain: "crew" },
    channels: [{ name: "dock" }],
    users,
    bots: [{ name: "rialto" }],
  };
  const tokens = { [token]: { login: "alice", scopes: ["chat:write"] } };
  const server = await createEmulator({ service: "slack", port: await freePort(), seed: { tokens, slack } });
  onTestFinished(async () => await server.close());
  const clock = new CountingClock();
  const http = new Http(clock);
  onTestFinished(() => http.close());
  const base = apiOf({ ApiURL: `${server.url}/api/` });
  return new SlackApi(new SlackWeb({ http, clock, base, token, scopesAt: "there" }), { http, base, token });
}

needs(["emulate"], () => {
  test("a server of others understands us, and we understand it", async () => {
    const api = await emulated("xoxb-one");
    expect(good(await api.authTest(signal))).toMatchObject({ name: "alice" });
    const { channels } = good(await api.channelsPage({ mine: false, cursor: "" }, signal));
    const channel = channels.find(({ name }) => name === "dock")?.id ?? "";
    good(await api.enter(channel, signal));
    const metadata = { event_type: "rialto_op", event_payload: { op: "1" } };
    const blocks = [{ type: "rich_text", block_id: "rialto/1", elements: [] }];
    const draft = { channel, text: "one & two", blocks, threadTs: "", metadata, username: "Alice", iconUrl: null };
    const root = good(await api.post(draft, signal))?.ts ?? "";
    const reply = good(await api.post({ ...draft, text: "reply", threadTs: root }, signal))?.ts ?? "";
    expect(good(await api.update({ channel, ts: root, text: "three", blocks, metadata, fileIds: [] }, signal))).toBe(
      root,
    );
    good(await api.react({ channel, ts: root }, "tada", true, signal));
    const query = { channel, oldest: "", latest: "", cursor: "", count: 100 };
    const said = good(await api.history(query, signal)).messages.find(({ ts }) => ts === root);
    expect(said).toMatchObject({ text: "three", metadata, reactions: [{ name: "tada" }], replyCount: 1 });
    const thread = good(await api.replies({ ...query, root }, signal)).messages;
    expect(thread.map(({ ts }) => ts)).toEqual([root, reply]);
    good(await api.react({ channel, ts: root }, "tada", false, signal));
    const alice = good(await api.usersPage("", signal)).users.find(({ name }) => name === "alice");
    expect(good(await api.user(alice?.id ?? "", signal))).toMatchObject({ realName: "Alice" });
    expect(good(await api.members(channel, "", signal)).users).toContain(alice?.id);
    expect(good(await api.user("U0NOBODY1", signal))).toBeNull();
    good(await api.setTopic(channel, "tide", signal));
    const place = good(await api.beginUpload("a.txt", 4, signal));
    expect(await api.sendFile(place, { stream: new Blob(["ship"]).stream(), bytes: 4 }, signal)).toBeNull();
    const files = [{ id: place.id, title: "A" }];
    good(await api.share({ channel, threadTs: "", files, blocks: [] }, signal));
    const info = good(await api.fileInfo(place.id, signal));
    expect(info).toMatchObject({ title: "A", size: 4 });
    good(await api.delete(channel, reply, signal));
    expect(await api.delete(channel, reply, signal)).toMatchObject({
      ok: false,
      failure: { error: "message_not_found" },
    });
  });
});
