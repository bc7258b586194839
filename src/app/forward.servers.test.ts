import { randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import net, { type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../test/servers/installed.ts";
import { ApiClient } from "../../test/support/client.ts";
import { freePorts } from "../../test/support/ports.ts";
import { eventually } from "../../test/support/wait.ts";
import { lazyTokens } from "../access/lazy-tokens.ts";
import { oneServer, tunnelNode, type TunnelNode } from "../cluster/tunnel/stage.suite.ts";
import { systemClock } from "../delivery/clock.ts";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { MemoryFiles } from "../delivery/stage.suite.ts";
import { encode } from "../gateway/codec.ts";
import { liveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { openForwarder } from "../http/forward.ts";
import { ampleDescriptors } from "../lib/descriptors.suite.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { loadHttp } from "./api-server.ts";
import { ApiServers } from "./api-servers.ts";

const KEY = "api.right";

/** The servers of a node that runs the account. */
async function holding(node: TunnelNode) {
  const log = await openAt(scratchFolder());
  const [port = 0] = await freePorts(1);
  const settings = { BindAddress: `127.0.0.1:${port}`, Token: "", Buffer: 100_000, MaxBodySize: 30_000_000 };
  const account = { ...anAccount(KEY, { remoteNickFormat: "{NICK}" }), settings };
  const config = aConfig([aGateway("g", ["in net.a #x", `inout ${KEY} api`])], [account]);
  const { logger } = new MemoryLogger();
  const tokens = lazyTokens({ log, clock: systemClock, bytes: randomBytes, logger });
  onTestFinished(() => tokens.close());
  const servers = new ApiServers({
    log,
    files: Object.assign(new MemoryFiles(), { keep: () => Promise.resolve(null), linkFor: () => null }) as never,
    routes: liveRoutes(compileRoutes(config)),
    lock: new ReadWriteLock(),
    sharing: null,
    share: { bodies: new BodyBudget(), descriptors: ampleDescriptors() },
    http: await loadHttp(),
    logger,
    onDrop: () => undefined,
    hint: () => undefined,
    delivery: () => null,
    tokens: tokens.get,
  });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= servers.close());
  onTestFinished(close);
  await servers.open(config);
  log.tail(servers.listener);
  await servers.listen();
  node.tunnels.serve((key, socket) => servers.all.find((one) => one.account.key === key)?.http.take(socket) ?? false);
  const say = async (...texts: readonly string[]): Promise<void> => {
    const entries = texts.map((text) => {
      const payload = encode(aMessage({ text, account: "net.a", protocol: "net", gateway: "" }));
      return { subject: "net.a/#x", key: null, label: "", payload };
    });
    await log.append({ account: "net.a", entries });
  };
  return { port, say, close };
}

/** A node that runs the account, and another that clients come to. */
async function start() {
  const cluster = await oneServer();
  const [near, far] = [await tunnelNode(cluster), await tunnelNode(cluster)];
  const held = await holding(far);
  const forwarder = await openForwarder({
    address: { host: "127.0.0.1", port: 0 },
    take: () => false,
    open: (remote) => near.tunnels.open({ run: far.run, account: KEY, remote }),
    descriptors: ampleDescriptors(),
  });
  onTestFinished(() => forwarder.close());
  const { port } = forwarder.address;
  return { ...held, far, forwarder, port, direct: held.port, client: new ApiClient(`http://127.0.0.1:${port}`) };
}

function dial(port: number): Socket {
  const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once("close", resolve));

needs(["nats-server"], () => {
  test("a client posts, polls, streams and has a WebSocket at a node that does not run the account", async () => {
    const { client, say } = await start();
    expect(await client.say({ text: "out", username: "bob", gateway: "g" })).toMatchObject({ text: "out" });
    await say("one", "two");
    expect(await client.texts()).toEqual(["one", "two"]);
    expect(await client.texts()).toEqual([]);
    const stream = await client.stream();
    const socket = await client.socket("?backlog=0");
    await say("three");
    expect((await stream.next()).text).toBe("three");
    expect(await socket.next()).toMatchObject({ text: "three" });
    socket.send(JSON.stringify({ text: "four", username: "bob", gateway: "g" }));
    await expect(client.request("/api/health").then(({ status }) => status)).resolves.toBe(200);
  });

  test("a post of 20 MB arrives whole, and so does the answer", async () => {
    const { client } = await start();
    const text = "0123456789".repeat(2_000_000);
    const message = await client.say({ text, username: "bob", gateway: "g" });
    expect(message.text === text).toBe(true);
  });

  test("many requests use one connection", async () => {
    const { port } = await start();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const sockets = new Set<unknown>();
    for (let count = 0; count < 300; count += 1) {
      const request = http.get({ port, host: "127.0.0.1", path: "/api/health", agent });
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      response.resume();
      await once(response, "end");
      sockets.add(request.socket);
    }
    expect(sockets.size).toBe(1);
  });

  test("200 connections at once are answered each", async () => {
    const { client } = await start();
    const posts = Array.from({ length: 200 }, (_, at) => client.say({ text: `${at}`, username: "b", gateway: "g" }));
    expect((await Promise.all(posts)).map(({ text }) => text)).toEqual(posts.map((_, at) => `${at}`));
  });

  test("messages of a poll that the client did not take are unread again", async () => {
    const { client, say, port } = await start();
    const long = "x".repeat(200_000);
    await say(...Array.from({ length: 100 }, (_, at) => `${at} ${long}`));
    const socket = dial(port);
    await once(socket, "connect");
    const begun = once(socket, "data");
    socket.write("GET /api/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await begun;
    socket.pause();
    socket.resetAndDestroy();
    await eventually(
      () => client.texts(),
      (texts) => texts.length === 100,
      () => "the messages to be there again",
    );
  });

  test("a stream whose reader takes nothing is held back at the node that runs the account", async () => {
    const { client, say, port } = await start();
    const socket = dial(port);
    await once(socket, "connect");
    const begun = once(socket, "data");
    socket.write("GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await begun;
    socket.pause();
    const texts = Array.from({ length: 400 }, (_, at) => `${at} ${"y".repeat(50_000)}`);
    await say(...texts);
    expect(await client.request("/api/health").then(({ status }) => status)).toBe(200);
    // Where it goes on, nothing is missing.
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString("latin1")));
    socket.resume();
    await eventually(
      () => Promise.resolve(text.includes(`"399 `)),
      (is) => is,
      () => "all of the stream",
    );
    expect(texts.filter((one) => !text.includes(`"${one}"`))).toEqual([]);
  });

  test("the connections of a node that is cut off in the middle end", async () => {
    const { client, far, port } = await start();
    const stream = await client.stream();
    const idle = dial(port);
    await once(idle, "connect");
    const idleClosed = closed(idle);
    far.proxy.shut();
    far.proxy.stall();
    expect(await stream.ended).toBe("aborted");
    await idleClosed;
    expect((await client.request("/api/health")).status).toBe(503);
  });

  test("without a node that runs the account a request is answered 503, whatever it is", async () => {
    const forwarder = await openForwarder({
      address: { host: "127.0.0.1", port: 0 },
      take: () => false,
      open: () => null,
      descriptors: ampleDescriptors(),
    });
    onTestFinished(() => forwarder.close());
    const asked = ["/api/health", "/api/message", "/v1/files"].map(async (path) => {
      const answer = await fetch(`http://127.0.0.1:${forwarder.address.port}${path}`, { method: "POST", body: "{}" });
      expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "2"]);
      expect(await answer.json()).toEqual({ message: expect.any(String) as unknown });
    });
    await Promise.all(asked);
  });

  test("the address changes hands at once: from the forwarder to a server, and back", async () => {
    const { client, forwarder, port, close } = await start();
    const stream = await client.stream();
    forwarder.close();
    expect(await stream.ended).toBe("aborted");
    const server = http.createServer((_request, response) => response.end("mine"));
    onTestFinished(() => void server.close());
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    expect(await client.request("/api/health")).toMatchObject({ status: 200, text: "mine" });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const ways = { take: () => false, open: () => null };
    const options = { address: { host: "127.0.0.1", port }, ...ways, descriptors: ampleDescriptors() };
    const again = await openForwarder(options);
    onTestFinished(() => again.close());
    expect((await client.request("/api/health")).status).toBe(503);
    await expect(openForwarder(options)).rejects.toThrow(/another program listens there/u);
    await close();
  });

  test("a stop of the servers ends what came by another node as well", async () => {
    const { client, close } = await start();
    const stream = await client.stream();
    await close();
    expect(await stream.ended).toBe("complete");
  });
});
