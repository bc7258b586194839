import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../../../../test/servers/certificate.ts";
import { needs } from "../../../../test/servers/installed.ts";
import { RecordingHost } from "../../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { quote } from "../../kit/ends.ts";
import { notConnected } from "../ends.ts";
import { scriptedServer } from "../scripted-server.suite.ts";
import { open } from "../session.ts";
import { ircSettings } from "../settings.suite.ts";
import type { IrcSettings } from "../settings.ts";

async function endOf(settings: Partial<IrcSettings>) {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const result = await open({
    settings: ircSettings(settings),
    host,
    since: null,
    signal: new AbortController().signal,
  });
  expect(clock.waiting).toBe(0);
  if (result.ok) throw new Error("it opened");
  return [result.ended.cause, result.ended.why.message] as const;
}

test.each([
  ["ECONNREFUSED", "lost", /cannot connect to irc\.test:6667: nothing is listening there \(ECONNREFUSED\)/],
  ["ENOTFOUND", "lost", /check Server \(ENOTFOUND\)/],
  ["ETIMEDOUT", "lost", /ETIMEDOUT/],
  ["EMFILE", "lost", /: EMFILE$/],
  ["EADDRNOTAVAIL", "config", /Bind/],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "config", /SkipTLSVerify/],
  ["SELF_SIGNED_CERT_IN_CHAIN", "config", /SkipTLSVerify/],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "config", /SkipTLSVerify/],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "config", /SkipTLSVerify/],
  ["CERT_HAS_EXPIRED", "config", /SkipTLSVerify/],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "config", /SkipTLSVerify/],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "config", /UseTLS = false/],
  ["ERR_OSSL_PEM_NO_START_LINE", "config", /TLSClientCertificate/],
  ["ERR_OSSL_X509_KEY_VALUES_MISMATCH", "config", /TLSClientCertificate/],
])("%s", (code, cause, message) => {
  const error = Object.assign(new Error("x"), { code });
  const ended = notConnected(error, { host: "irc.test", port: 6667 });
  expect(ended.cause).toBe(cause);
  expect(ended.why.message).toMatch(message);
  // Several addresses were tried: the first one tells.
  expect(notConnected(new AggregateError([error]), { host: "irc.test", port: 6667 })).toEqual(ended);
});

test("an IPv6 address is in brackets", () => {
  const error = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
  expect(notConnected(error, { host: "::1", port: 6667 }).why.message).toContain("[::1]:6667");
});

test("what a server says is cut, and holds no control characters", () => {
  expect(quote("a\u0003b\r\n")).toBe("a b");
  expect(quote("x".repeat(1000)).length).toBe(201);
});

test("nobody listens there", async () => {
  // Port 1 (tcpmux) is never used.
  expect(await endOf({ Server: "127.0.0.1:1" })).toEqual([
    "lost",
    "cannot connect to 127.0.0.1:1: nothing is listening there (ECONNREFUSED)",
  ]);
});

test.each([
  [{ Server: "nowhere" }, /Server/],
  [{ Charset: "klingon" }, /Charset "klingon"/],
  [
    { UseTLS: true, TLSClientCertificate: "/nonexistent.pem" },
    /TLSClientCertificate cannot be read \(ENOENT\): \/nonexistent\.pem /,
  ],
])("%j is not possible", async (settings, message) => {
  const [cause, text] = await endOf({ Server: "127.0.0.1:1", ...settings });
  expect(cause).toBe("config");
  expect(text).toMatch(message);
});

test("an address that is not ours", async () => {
  // 192.0.2.0/24 is for documentation (RFC 5737).
  expect((await endOf({ Server: "127.0.0.1:1", Bind: "192.0.2.1" }))[0]).toBe("config");
});

test("a connection that takes longer than 30 s", async () => {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  // It takes the connection, and says nothing: TLS does not begin.
  const { port, client } = await scriptedServer();
  const settings = ircSettings({ Server: `127.0.0.1:${port}`, UseTLS: true });
  const opened = open({ settings, host, since: null, signal: new AbortController().signal });
  await client();
  await clock.advance(30_000);
  expect(await opened).toMatchObject({
    ok: false,
    ended: { cause: "lost", why: { code: "timeout", message: expect.stringContaining("UseTLS = false") as string } },
  });
  expect(clock.waiting).toBe(0);
});

test("a server that breaks the connection off when TLS begins", async () => {
  const server = createServer((socket) => void socket.once("data", () => socket.resetAndDestroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const [cause, message] = await endOf({ Server: `127.0.0.1:${port}`, UseTLS: true });
  expect(cause).toBe("lost");
  expect(message).toMatch(/closes the connection during the TLS handshake; .*UseTLS = false/);
});

test("a server that does not speak TLS", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(":irc.test NOTICE * :*** Looking up your hostname...\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const [cause, message] = await endOf({ Server: `127.0.0.1:${port}`, UseTLS: true });
  expect(cause).toBe("config");
  expect(message).toMatch(/does not speak TLS/);
});

needs(["openssl"], () => {
  async function tlsServer(onClient: (socket: TLSSocket) => void) {
    const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-tls-"));
    const made = await makeCertificate(folder, "server");
    const [cert, key] = await Promise.all([readFile(made.certificate), readFile(made.key)]);
    const server = createTlsServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (socket) => {
      socket.on("error", () => {});
      onClient(socket);
    });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      server.close();
      await rm(folder, { recursive: true });
    });
    const address = server.address();
    const pem = path.join(folder, "both.pem");
    await writeFile(pem, Buffer.concat([cert, key]));
    return { port: typeof address === "object" && address !== null ? address.port : 0, pem };
  }

  test("a certificate that nobody vouches for needs a person", async () => {
    const { port } = await tlsServer(() => {});
    const [cause, message] = await endOf({ Server: `127.0.0.1:${port}`, UseTLS: true });
    expect(cause).toBe("config");
    expect(message).toMatch(/SkipTLSVerify = true/);
  });

  test("SkipTLSVerify takes it; our own certificate is shown, and logs us in by SASL EXTERNAL", async () => {
    const seen = Promise.withResolvers<string>();
    const { port, pem } = await tlsServer((socket) => {
      socket.setEncoding("utf8");
      socket.on("data", (part: string) => {
        if (part.includes("CAP LS")) socket.write(":irc.test CAP * LS :sasl=EXTERNAL,PLAIN\r\n");
        if (part.includes("CAP REQ")) socket.write(":irc.test CAP * ACK :sasl\r\n");
        if (part.includes("AUTHENTICATE EXTERNAL")) socket.write("AUTHENTICATE +\r\n");
        if (part.includes("AUTHENTICATE +")) socket.write(":irc.test 903 * :SASL successful\r\n");
        if (part.includes("CAP END")) {
          seen.resolve(String(socket.getPeerCertificate().subject.CN));
          socket.write(":irc.test 001 rialto :Welcome\r\n:irc.test 422 rialto :no MOTD\r\n");
        }
      });
    });
    const settings = ircSettings({
      Server: `127.0.0.1:${port}`,
      UseTLS: true,
      SkipTLSVerify: true,
      UseSASL: true,
      TLSClientCertificate: pem,
    });
    const host = new RecordingHost(new FakeClock());
    const result = await open({ settings, host, since: null, signal: new AbortController().signal });
    expect(await seen.promise).toBe("server");
    if (!result.ok) throw new Error(result.ended.why.message);
    await result.session.close(AbortSignal.abort());
  });

  test("a file without a certificate in it", async () => {
    const { port, pem } = await tlsServer(() => {});
    await writeFile(pem, "nothing");
    const [cause, message] = await endOf({ Server: `127.0.0.1:${port}`, UseTLS: true, TLSClientCertificate: pem });
    expect(cause).toBe("config");
    expect(message).toMatch(/TLSClientCertificate cannot be used/);
  });
});
