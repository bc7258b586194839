import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startFakeProxy, watchDirect } from "../../test/support/fake-proxy.ts";
import { proxySetting } from "../contract/proxy.ts";
import { openTunnel, proxyOf, type ProxyServer } from "./proxy.ts";

const KINDS = ["http", "socks5"] as const;
const LOGIN = { user: "bob", password: "p@ss:wörd/" };

/** A server that greets first, and then gives back what it gets. */
async function greeting(): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("hello ");
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function read(setting: string): ProxyServer {
  const proxy = proxyOf(setting);
  if (proxy === null) throw new Error("there is no proxy");
  return proxy;
}

/** Says this, and resolves with as much of what comes back. */
async function said(socket: net.Socket, words: string, length: number): Promise<string> {
  let had = "";
  socket.write(words);
  for await (const part of socket) {
    had += String(part);
    if (had.length >= length) break;
  }
  return had;
}

describe.each(KINDS)("a tunnel by %s", (kind) => {
  test.each([
    ["without a login", {}],
    ["with a login", { login: LOGIN }],
    ["whose answers come byte by byte", { login: LOGIN, pieces: 1 }],
  ])("%s carries all that both sides say; the proxy looks up the name", async (_, more) => {
    const port = await greeting();
    const proxy = await startFakeProxy({ kind, ...more });
    const direct = watchDirect(proxy);
    const socket = await openTunnel({ proxy: read(proxy.url), host: "far.example", port });
    expect(await said(socket, "world", 11)).toBe("hello world");
    expect(proxy.asked).toEqual([`far.example:${port}`]);
    expect(direct()).toEqual([]);
  });

  test.each([
    ["without one", "bob", undefined, "wants a user and a password; add them to Proxy"],
    ["with a wrong one", "bob", "wrong", "does not accept the user and the password in Proxy"],
  ])("%s where a login is wanted, it says so, and shows none", async (_, user, password, words) => {
    const { port } = await startFakeProxy({ kind, login: LOGIN });
    const login = password === undefined ? "" : `${user}:${password}@`;
    const opening = openTunnel({ proxy: read(`${kind}://${login}127.0.0.1:${port}`), host: "far.example", port: 1 });
    await expect(opening).rejects.toThrow(`the proxy 127.0.0.1:${port} ${words}`);
    await opening.catch((error: unknown) => expect(String(error)).not.toMatch(/bob|wrong/u));
  });

  test("one that does not answer in time is given up by the signal, and its socket ends", async () => {
    const server = net.createServer();
    const came = once(server, "connection") as Promise<[net.Socket]>;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const stop = new AbortController();
    const opening = openTunnel({
      proxy: read(`${kind}://127.0.0.1:${port}`),
      host: "far.example",
      port: 1,
      signal: stop.signal,
    });
    const [socket] = await came;
    const closed = once(socket.resume(), "close");
    stop.abort();
    await expect(opening).rejects.toThrow("was given up");
    await closed;
  });

  test("one that is not there is named", async () => {
    const opening = openTunnel({ proxy: read(`${kind}://127.0.0.1:1`), host: "far.example", port: 1 });
    await expect(opening).rejects.toThrow("the proxy 127.0.0.1:1 cannot be reached: nothing is listening there");
  });
});

test.each<["http" | "socks5", string | Buffer, string]>([
  ["http", "HTTP/1.1 403 Forbidden\r\n\r\n", "does not connect to far.example:6697: HTTP 403"],
  ["http", "SSH-2.0-x\r\n\r\n", "does not speak HTTP; check Proxy"],
  ["http", "x".repeat(20_000), "answers too much; check Proxy"],
  ["http", "HTTP/1.1 2", "closed the connection"],
  [
    "socks5",
    Buffer.of(5, 2, 0, 1, 0, 0, 0, 0, 0, 0),
    "does not connect to far.example:6697: its rules do not allow it",
  ],
  ["socks5", Buffer.of(5, 99, 0, 1, 0, 0, 0, 0, 0, 0), "does not connect to far.example:6697: error 99"],
  ["socks5", Buffer.of(5, 0, 0), "closed the connection"],
])("a %s proxy that refuses %j: the reason is in words", async (kind, refusal, words) => {
  const { url } = await startFakeProxy({ kind, refusal });
  await expect(openTunnel({ proxy: read(url), host: "far.example", port: 6697 })).rejects.toThrow(words);
});

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["2001:db8::7", "[20010db8000000000000000000000007]"],
  ["::ffff:127.0.0.1", "[00000000000000000000ffff7f000001]"],
])("SOCKS5 gets the address %s as an address", async (host, written) => {
  const port = await greeting();
  const proxy = await startFakeProxy({ kind: "socks5" });
  const socket = await openTunnel({ proxy: read(proxy.url), host, port });
  socket.destroy();
  expect(proxy.asked).toEqual([`${written}:${port}`]);
});

test("HTTP gets an IPv6 address in brackets", async () => {
  const port = await greeting();
  const proxy = await startFakeProxy({ kind: "http" });
  const socket = await openTunnel({ proxy: read(proxy.url), host: "::1", port });
  socket.destroy();
  expect(proxy.asked).toEqual([`[::1]:${port}`]);
});

test.each([
  ["http://proxy.example.org:3128", { kind: "http", host: "proxy.example.org", port: 3128, login: null }],
  ["http://proxy.example.org", { kind: "http", port: 80 }],
  ["https://proxy.example.org/", { kind: "https", port: 443 }],
  ["socks5://10.0.0.1", { kind: "socks5", host: "10.0.0.1", port: 1080 }],
  ["socks5h://[2001:db8::7]:9050", { kind: "socks5", host: "2001:db8::7", port: 9050 }],
  ["http://bob:p%40ss%3A@p:8080", { kind: "http", port: 8080, login: { user: "bob", password: "p@ss:" } }],
  ["socks5://bob@p:1080", { login: { user: "bob", password: "" } }],
  ["http://bob:100%@p:8080", { login: { user: "bob", password: "100%" } }],
])("%s is read", (setting, expected) => {
  expect(setting).toMatch(new RegExp(proxySetting.rule.pattern, "u"));
  expect(proxyOf(setting)).toMatchObject(expected);
});

test.each([
  "proxy.example.org:3128",
  "ftp://proxy.example.org:3128",
  "socks4://proxy.example.org:1080",
  "http://proxy.example.org:0",
  "http://proxy.example.org:65536",
  "http://proxy.example.org/path",
  "http://:secret@proxy.example.org",
  "http://pro xy:1",
])("%s is refused by the rule of the setting", (setting) => {
  expect(setting).not.toMatch(new RegExp(proxySetting.rule.pattern, "u"));
});
