import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeCertificate } from "../servers/certificate.ts";
import type { Rialto } from "../support/rialto.ts";
import { launch } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";
import { echoingXmpp } from "./echo-servers.ts";

// Each starts the program, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

/** A server that shows a certificate which nobody vouches for, and writes down what it is told behind it. */
async function stranger(): Promise<{
  readonly port: number;
  readonly heard: () => string;
  readonly met: () => number;
}> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-tls-"));
  const { certificate, key } = await makeCertificate(folder, "localhost");
  const [cert, secret] = await Promise.all([readFile(certificate), readFile(key)]);
  await rm(folder, { recursive: true });
  let heard = "";
  let met = 0;
  const sockets = new Set<tls.TLSSocket>();
  const server = tls.createServer({ cert, key: secret, ALPNProtocols: ["xmpp-client", "http/1.1"] }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (part: Buffer) => (heard += part.toString("latin1")));
  });
  server.on("connection", () => (met += 1));
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard, met: () => met };
}

interface Network {
  readonly account: string;
  readonly channel: string;
  readonly settings: string;
}

const XMPP = `Jid = "rialto@localhost"\nPassword = "hunter22"\nMuc = "rooms.localhost"\nNick = "rialto"`;

const irc = (port: number): Network => ({
  account: "irc.it",
  channel: "#a",
  settings: `Server = "localhost:${port}"\nUseTLS = true\nNick = "rialto"\nPassword = "hunter22"`,
});
const xmpp = (port: number): Network => ({
  account: "xmpp.it",
  channel: "a",
  settings: `Server = "localhost:${port}"\nUseDirectTLS = true\n${XMPP}`,
});
const matrix = (port: number): Network => ({
  account: "matrix.it",
  channel: "#a:localhost",
  settings: `Server = "https://localhost:${port}"\nToken = "hunter22"`,
});
const starttls = (port: number): Network => ({
  account: "xmpp.stripped",
  channel: "a",
  settings: `Server = "localhost:${port}"\n${XMPP}`,
});

function config(networks: readonly Network[], more = ""): string {
  const accounts = networks.map(({ account, settings }) => `[${account}]\n${settings}\n${more}`);
  const bridges = networks.map(({ account, channel }) => `{ account = "${account}", channel = "${channel}" }`);
  return `${accounts.join("\n")}\n[api.a]\n[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "api.a", channel = "api" }, ${bridges.join(", ")}]\n`;
}

/** What the log says of the account as soon as it is given up. */
async function refusal(rialto: Rialto, account: string): Promise<string> {
  const lines = (): readonly string[] => rialto.output().split("\n");
  const found = await eventually(
    () => Promise.resolve(lines().find((line) => line.includes(`"account":"${account}"`) && line.includes('"why"'))),
    (line) => line !== undefined,
    () => `the refusal of ${account}; the program printed:\n${rialto.output()}`,
  );
  return found ?? "";
}

test("a server whose certificate nobody vouches for is told nothing: IRC, XMPP and Matrix", async () => {
  const servers = [await stranger(), await stranger(), await stranger()] as const;
  const stripped = await echoingXmpp();
  const networks = [irc(servers[0].port), xmpp(servers[1].port), matrix(servers[2].port), starttls(stripped.port)];
  const rialto = await launch({ config: config(networks) });
  for (const { account } of networks.slice(0, 3)) expect(await refusal(rialto, account)).toMatch(/certificate/u);
  // One that takes TLS out of what it offers gets no further either.
  expect(await refusal(rialto, "xmpp.stripped")).toMatch(/TLS/u);
  await rialto.stop();
  for (const { met, heard } of servers) expect([met() > 0, heard()]).toEqual([true, ""]);
  expect(stripped.heard()).toContain("<stream:stream");
  expect(stripped.heard()).not.toContain("<auth");
});

/** Matrix has no such setting. */
test("only who says so is spared the certificate", async () => {
  const servers = [await stranger(), await stranger()] as const;
  await launch({ config: config([irc(servers[0].port), xmpp(servers[1].port)], "SkipTLSVerify = true") });
  for (const { heard } of servers) {
    await eventually(
      () => Promise.resolve(heard()),
      (words) => words !== "",
      () => "anything that the server is told",
    );
  }
});
