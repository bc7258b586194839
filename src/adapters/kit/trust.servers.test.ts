import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import https from "node:https";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { makeCertificate } from "../../../test/servers/certificate.ts";
import { needs } from "../../../test/servers/installed.ts";
import { Http } from "./http.ts";
import { never } from "./served.suite.ts";
import { PUBLIC, type ServerTrust } from "./trust.ts";
import { openWebSocket } from "./web-socket.ts";

needs(["openssl"], () => {
  /** A server with a certificate that nobody vouches for but itself. */
  async function secured(): Promise<{ readonly url: URL; readonly certificate: string }> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-trust-"));
    onTestFinished(async () => await rm(folder, { recursive: true }));
    const made = await makeCertificate(folder, "server");
    const [cert, key] = await Promise.all([readFile(made.certificate, "utf8"), readFile(made.key, "utf8")]);
    const server = https.createServer({ cert, key }, (_, response) => void response.end("{}"));
    const sockets = new WebSocketServer({ server });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    });
    return { url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`), certificate: cert };
  }

  /** How a request and a WebSocket end: `ok`, or why not. */
  async function both(url: URL, trust: ServerTrust): Promise<readonly string[]> {
    const { clock } = new RecordingHost();
    const http = new Http(clock, trust);
    const wanted = { method: "GET", url, headers: {}, body: null, timeoutMs: 20_000, again: false } as const;
    const answer = await http.request({ ...wanted, signal: never });
    http.close();
    const opened = await openWebSocket({
      url: new URL(url.href.replace("https", "wss")),
      headers: {},
      trust,
      clock,
      signal: never,
      handshakeMs: 20_000,
      maxPayload: 1000,
      onText: () => undefined,
    });
    if (opened.ok) opened.socket.end("the test is over");
    return [answer.is === "failed" ? answer.why : "ok", opened.ok ? "ok" : opened.refusal.why];
  }

  test("a certificate is good when somebody known vouches for it, its own authority was given, or any is", async () => {
    const { url, certificate } = await secured();
    expect(await both(url, PUBLIC)).toEqual(["certificate", "certificate"]);
    expect(await both(url, { verify: true, ca: certificate })).toEqual(["ok", "ok"]);
    expect(await both(url, { verify: false, ca: null })).toEqual(["ok", "ok"]);
    const plain = new URL(url.href.replace("https", "http"));
    expect(await both(plain, PUBLIC)).toEqual(["network", "network"]);
  });

  test("an authority that is none is a value", async () => {
    const { url } = await secured();
    expect(await both(url, { verify: true, ca: "nothing" })).toEqual(["certificate", "certificate"]);
  });
});
