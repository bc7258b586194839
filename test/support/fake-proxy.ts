import { once } from "node:events";
import net, { type Socket } from "node:net";
import { onTestFinished, vi } from "vitest";
import { isLoopback } from "../../src/lib/address.ts";

/** The address that the proxy connects from: connections from elsewhere did not come through it. */
const OWN = "127.0.0.2";

interface FakeProxyOptions {
  readonly kind: "http" | "socks5";
  /** Who may use it; null: everybody. */
  readonly login?: { readonly user: string; readonly password: string };
  /** What it answers in place of a connection. */
  readonly refusal?: string | Buffer;
  /** Bytes of the answer at a time; absent: all at once. */
  readonly pieces?: number;
}

/** A strict proxy on loopback that connects to the same port of this machine, whatever host it is asked for. */
export interface FakeProxy {
  /** As the setting `Proxy` has it. */
  readonly url: string;
  readonly port: number;
  /** `host:port` of each connection that it was asked for, as it was written. */
  readonly asked: readonly string[];
}

/** Runs until the test ends. */
export async function startFakeProxy(options: FakeProxyOptions): Promise<FakeProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined);
    const serve = options.kind === "http" ? serveHttp : serveSocks;
    serve(client, options, asked, sockets).catch(() => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  const { user, password } = options.login ?? {};
  const login = user === undefined ? "" : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? "")}@`;
  return { url: `${options.kind}://${login}127.0.0.1:${port}`, port, asked };
}

/**
 * Watches from now on which TCP connections of this process leave the machine, or lead to a server that the proxy was
 * asked for and do not come out of it. Fakes have connections of their own behind their ports.
 */
export function watchDirect(proxy: Pick<FakeProxy, "asked">): () => readonly string[] {
  const made: { readonly host: string; readonly port: number }[] = [];
  const connect = Reflect.get(net.Socket.prototype, "connect") as (...given: readonly unknown[]) => unknown;
  const spy = vi.spyOn(net.Socket.prototype, "connect").mockImplementation(function spied(this: Socket, ...given) {
    const [first] = given as readonly unknown[];
    const { host, port, localAddress } = (Array.isArray(first) ? first[0] : first) as Partial<net.TcpNetConnectOpts>;
    if (localAddress !== OWN) made.push({ host: host ?? "localhost", port: port ?? 0 });
    return Reflect.apply(connect, this, given) as Socket;
  });
  onTestFinished(() => spy.mockRestore());
  return () =>
    made
      .filter(({ host, port }) => !isLoopback(host) || proxy.asked.some((place) => place.endsWith(`:${port}`)))
      .map(({ host, port }) => `${host}:${port}`);
}

async function serveHttp(client: Socket, options: FakeProxyOptions, asked: string[], all: Set<Socket>): Promise<void> {
  const head = await until(client, (had) => (had.includes("\r\n\r\n") ? had.indexOf("\r\n\r\n") + 4 : 0));
  const [line = "", ...fields] = head.toString("latin1").trimEnd().split("\r\n");
  const place = /^CONNECT (\S+:\d+) HTTP\/1\.1$/u.exec(line)?.[1];
  if (place === undefined || !fields.includes(`Host: ${place}`)) throw new Error(`not a CONNECT: ${line}`);
  if (options.login !== undefined) {
    const { user, password } = options.login;
    const basic = Buffer.from(`${user}:${password}`).toString("base64");
    if (!fields.includes(`Proxy-Authorization: Basic ${basic}`)) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n");
      return;
    }
  }
  await pass(
    client,
    place,
    { ...options, ready: "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n" },
    asked,
    all,
  );
}

async function serveSocks(client: Socket, options: FakeProxyOptions, asked: string[], all: Set<Socket>): Promise<void> {
  const [version, count = 0] = await take(client, 2);
  const methods = await take(client, count);
  const wanted = options.login === undefined ? 0 : 2;
  if (version !== 5 || !methods.includes(wanted)) {
    client.end(Buffer.of(5, 0xff));
    return;
  }
  client.write(Buffer.of(5, wanted));
  if (options.login !== undefined) {
    const text = async (): Promise<string> => (await take(client, (await take(client, 1))[0] ?? 0)).toString();
    const subVersion = (await take(client, 1))[0];
    const given = [await text(), await text()];
    const isRight = subVersion === 1 && given[0] === options.login.user && given[1] === options.login.password;
    client.write(Buffer.of(1, isRight ? 0 : 1));
    if (!isRight) return void client.end();
  }
  const [again, command, , kind] = await take(client, 4);
  if (again !== 5 || command !== 1) throw new Error("not a request to connect");
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await take(client, 1))[0] ?? 0);
  const host = await take(client, length);
  const port = (await take(client, 2)).readUInt16BE();
  const shown = kind === 3 ? host.toString() : kind === 1 ? host.join(".") : `[${host.toString("hex")}]`;
  await pass(client, `${shown}:${port}`, { ...options, ready: Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0) }, asked, all);
}

async function pass(
  client: Socket,
  place: string,
  { refusal, ready, pieces = 1000 }: FakeProxyOptions & { readonly ready: string | Buffer },
  asked: string[],
  all: Set<Socket>,
): Promise<void> {
  asked.push(place);
  if (refusal !== undefined) return void client.end(refusal);
  const port = Number(place.slice(place.lastIndexOf(":") + 1));
  const far = net.connect({ host: "127.0.0.1", port, localAddress: OWN });
  all.add(far);
  far.on("error", () => client.destroy());
  await once(far, "connect");
  const answer = Buffer.from(ready);
  for (let at = 0; at < answer.length; at += pieces) {
    client.write(answer.subarray(at, at + pieces));
    // One packet for each.
    if (pieces < answer.length) await new Promise((resolve) => setImmediate(resolve));
  }
  client.pipe(far).pipe(client);
  client.on("close", () => far.destroy());
  far.on("close", () => client.destroy());
}

async function take(socket: Socket, length: number): Promise<Buffer> {
  return length === 0 ? Buffer.alloc(0) : await until(socket, (had) => (had.length >= length ? length : 0));
}

async function until(socket: Socket, lengthIn: (had: Buffer) => number): Promise<Buffer> {
  let had = Buffer.alloc(0);
  for (;;) {
    const length = lengthIn(had);
    if (length > 0) {
      if (had.length > length) socket.unshift(had.subarray(length));
      return had.subarray(0, length);
    }
    const part = socket.read() as Buffer | null;
    if (part === null) {
      if (socket.readableEnded || socket.destroyed) throw new Error("the client is gone");
      await Promise.race([once(socket, "readable"), once(socket, "close")]);
    } else had = Buffer.concat([had, part]);
  }
}
