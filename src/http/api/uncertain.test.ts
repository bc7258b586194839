import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ApiClient } from "../../../test/support/client.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import { emptyDisk, MemoryLog } from "../../delivery/memory-log.suite.ts";
import { MemoryLogger } from "../../delivery/scripted.suite.ts";
import { encode } from "../../gateway/codec.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../../gateway/samples.suite.ts";
import type { View } from "../../gateway/view.ts";
import { createServer } from "../server.ts";
import { ApiAccount } from "./account.ts";
import { Certainty } from "./certainty.ts";
import { addApiRoutes } from "./routes.ts";

const OWN = anAccount("api.own");
const SUBJECT = "net.a/#x";
const WAIT_MS = 5_000;
const ASK_MS = 100;
const BUFFER = 10;
const REQUESTS = ["/api/messages", "/api/stream", "/api/websocket"];
const UPGRADE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
};
const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => payload,
};

/** An account of the API over HTTP, at a node of which `isSure` says whether it certainly runs it. */
async function serve(isSure: () => boolean) {
  const clock = new FakeClock();
  const disk: { writing: Promise<void> | null } = { writing: null };
  const readers = await ApiAccount.open({
    account: OWN,
    buffer: BUFFER,
    log: new MemoryLog(emptyDisk(), async () => void (await disk.writing)),
    routes: compileRoutes(aConfig([aGateway("g", [`inout ${SUBJECT.replace("/", " ")}`, "inout api.own api"])], [OWN])),
    view,
    logger: new MemoryLogger().logger,
    clock,
    certainty: new Certainty(isSure, clock),
  });
  const errors: unknown[] = [];
  const http = await createServer({
    token: null,
    names: null,
    maxBodySize: 1_000,
    onError: (error) => errors.push(error),
  });
  addApiRoutes(http, { readers, ingest: null as never, nowMs: () => 0, onError: (error) => errors.push(error) });
  await http.app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    const closing = http.close();
    readers.endStreams();
    await closing;
    expect(errors).toEqual([]);
  });
  const client = new ApiClient(`http://127.0.0.1:${(http.app.server.address() as AddressInfo).port}`);
  let seq = 0;
  const say = (text: string): void => {
    seq += 1;
    readers.push({ seq, subject: SUBJECT, at: 0, label: "", payload: encode(aMessage({ text })) }, "g");
    readers.flush();
  };
  /** So many wait for a time that is to come. */
  const waiting = async (count: number): Promise<void> => {
    await eventually(
      () => Promise.resolve(clock.waiting),
      (now) => now === count,
      () => `${count} timers`,
    );
  };
  return { clock, disk, client, say, waiting };
}

test("while it is uncertain who runs the account, readers are answered 503 after a while, and lose nothing", async () => {
  let isSure = false;
  const { clock, client, say, waiting } = await serve(() => isSure);
  say("one");
  const asked = REQUESTS.map((path) =>
    client.request(path, path.endsWith("websocket") ? { headers: UPGRADE } : undefined),
  );
  await waiting(asked.length + 1);
  await clock.advance(WAIT_MS);
  const answers = await Promise.all(asked);
  expect(answers.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual(asked.map(() => [503, "1"]));
  isSure = true;
  expect(await client.texts()).toEqual(["one"]);
});

test("readers that wait are served once it is certain, with all that came meanwhile", async () => {
  let isSure = false;
  const { clock, client, say, waiting } = await serve(() => isSure);
  const asked = [client.texts(), client.stream(), client.socket()] as const;
  await waiting(asked.length + 1);
  const texts = Array.from({ length: 200 }, (_, at) => `${at}`);
  for (const text of texts) say(text);
  isSure = true;
  await clock.advance(ASK_MS);
  const [polled, stream, socket] = await Promise.all(asked);
  expect(polled).toEqual(texts);
  say("new");
  await clock.advance(ASK_MS);
  await eventually(
    async () => (await stream.next()).text,
    (text) => text === "new",
    () => "what is new, at the stream",
  );
  expect(await socket.next()).toMatchObject({ text: "new" });
});

test("a poll is not answered where it became uncertain while its messages were read", async () => {
  const asked: boolean[] = [];
  const { client, say } = await serve(() => asked.shift() ?? true);
  say("one");
  asked.push(true, false);
  const { status } = await client.request("/api/messages");
  expect(status).toBe(503);
  expect(await client.texts()).toEqual(["one"]);
});

test("a poll does not wait forever for the position of the one before it to be stored", async () => {
  const { clock, disk, client, say, waiting } = await serve(() => true);
  const writing = Promise.withResolvers<void>();
  say("one");
  disk.writing = writing.promise;
  expect(await client.texts()).toEqual(["one"]);
  say("two");
  const asked = client.request("/api/messages");
  await waiting(1);
  await clock.advance(WAIT_MS);
  expect((await asked).status).toBe(503);
  writing.resolve();
  expect(await client.texts()).toEqual(["two"]);
});
