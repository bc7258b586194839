import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import https from "node:https";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { makeCertificate } from "../../../test/servers/certificate.ts";
import { needs } from "../../../test/servers/installed.ts";
import { startFakeProxy, watchDirect } from "../../../test/support/fake-proxy.ts";
import { proxyOf } from "../../lib/proxy.ts";
import { dial } from "./dial.ts";
import { lost } from "./ends.ts";
import { Http } from "./http.ts";
import { never } from "./served.suite.ts";
import type { ServerTrust } from "./trust.ts";
import { openWebSocket } from "./web-socket.ts";

const { clock } = new RecordingHost();

needs(["openssl"], () => {
  /** A server for `localhost` by HTTPS, with WebSockets; `names`: those that clients have asked for. */
  async function secured() {
    const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-proxied-"));
    onTestFinished(async () => await rm(folder, { recursive: true }));
    const made = await makeCertificate(folder, "server");
    const [cert, key] = await Promise.all([readFile(made.certificate, "utf8"), readFile(made.key, "utf8")]);
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void): void => {
      names.push(name);
      done(null);
    };
    const server = https.createServer({ cert, key, SNICallback }, (_, response) => void response.end("{}"));
    const sockets = new WebSocketServer({ server });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, cert, names };
  }

  async function requested(url: URL, trust: ServerTrust): Promise<string> {
    const http = new Http(clock, trust);
    const wanted = { method: "GET", headers: {}, body: null, timeoutMs: 20_000, again: false } as const;
    const answers = [await http.request({ ...wanted, url, signal: never })];
    answers.push(await http.request({ ...wanted, url, signal: never }));
    http.close();
    return answers.map((answer) => (answer.is === "failed" ? answer.message : "ok")).join(", ");
  }

  async function socketed(url: URL, trust: ServerTrust): Promise<string> {
    const secure = new URL(url.href.replace("https", "wss"));
    const common = { headers: {}, trust, clock, signal: never, handshakeMs: 20_000, maxPayload: 1000 };
    const opened = await openWebSocket({ ...common, url: secure, onText: () => undefined });
    if (opened.ok) opened.socket.end("the test is over");
    return opened.ok ? "ok" : opened.refusal.message;
  }

  async function dialled(url: URL, { ca, proxy = null }: ServerTrust): Promise<string> {
    const place = { host: url.hostname, port: Number(url.port) };
    const result = await dial({
      clock,
      signal: never,
      timeoutMs: 20_000,
      failed: (error) => lost("network", error instanceof Error ? error.message : "odd"),
      late: () => lost("timeout", "late"),
      open: async (line) => await line.tls(await line.tcp(place, "", proxy), place.host, { ca: ca ?? "" }),
    });
    if (result.ok) result.socket.destroy();
    return result.ok ? "ok" : result.ended.why.message;
  }

  describe.each(["http", "socks5"] as const)("through a proxy by %s", (kind) => {
    test("TLS goes through the tunnel, under the server's own name, and nothing past it", async () => {
      const { port, cert, names } = await secured();
      const proxy = await startFakeProxy({ kind, login: { user: "bob", password: "secret!" } });
      const direct = watchDirect(proxy);
      const url = new URL(`https://localhost:${port}/`);
      const trust = { verify: true, ca: cert, proxy: proxyOf(proxy.url) };
      // The second request takes the connection of the first one.
      expect(await requested(url, trust)).toBe("ok, ok");
      expect(await socketed(url, trust)).toBe("ok");
      expect(await dialled(url, trust)).toBe("ok");
      expect(names).toEqual(["localhost", "localhost", "localhost"]);
      expect(proxy.asked).toEqual(Array.from({ length: 3 }, () => `localhost:${port}`));
      expect(direct()).toEqual([]);
    });

    test("a certificate for another name is refused", async () => {
      const { port, cert } = await secured();
      const proxy = await startFakeProxy({ kind });
      const url = new URL(`https://far.example:${port}/`);
      const trust = { verify: true, ca: cert, proxy: proxyOf(proxy.url) };
      const refused = "its certificate cannot be trusted (ERR_TLS_CERT_ALTNAME_INVALID)";
      expect(await requested(url, trust)).toBe(`${refused}, ${refused}`);
      expect(await socketed(url, trust)).toBe(refused);
      expect(await dialled(url, trust)).toContain("far.example");
    });

    test("a proxy that refuses is named, never passed by", async () => {
      const proxy = await startFakeProxy({ kind, login: { user: "bob", password: "secret!" } });
      const { port } = proxy;
      const direct = watchDirect(proxy);
      const url = new URL("https://far.example/");
      const trust = { verify: true, ca: null, proxy: proxyOf(`${kind}://127.0.0.1:${port}`) };
      const refused = `the proxy 127.0.0.1:${port} wants a user and a password; add them to Proxy`;
      expect(await requested(url, trust)).toBe(`${refused}, ${refused}`);
      expect(await socketed(url, trust)).toBe(refused);
      expect(await dialled(url, trust)).toBe(refused);
      expect(direct()).toEqual([]);
    });
  });

  test("a proxy that is spoken to over TLS must have a certificate that can be trusted", async () => {
    const { port } = await secured();
    const trust = { verify: true, ca: null, proxy: proxyOf(`https://localhost:${port}`) };
    const refused = `the proxy localhost:${port} has a certificate that cannot be trusted`;
    expect(await requested(new URL("https://far.example/"), trust)).toContain(refused);
  });
});
