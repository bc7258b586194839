import { readFile } from "node:fs/promises";
import tls from "node:tls";
import { describe, expect, test } from "vitest";
import { within } from "../support/wait.ts";
import { needs } from "./installed.ts";
import { startHybrid } from "./irc/hybrid.ts";
import { startInspircd } from "./irc/inspircd.ts";
import { startNgircd } from "./irc/ngircd.ts";
import { pythonPerson } from "./people/python.ts";
import { onStage } from "./stage.ts";

const LAUNCHERS = [
  ["ngircd", startNgircd],
  ["inspircd", startInspircd],
  ["ircd-hybrid", startHybrid],
] as const;

needs(["ngircd", "inspircd", "ircd-hybrid", "python3-irc", "openssl"], () => {
  describe.each(LAUNCHERS)("%s", (_, start) => {
    test("a stopped server answers nothing, and all of it once it goes on", async () => {
      const server = await onStage(start());
      const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: ["#a"] }));
      const ira = await onStage(pythonPerson({ port: server.port, nick: "ira", channels: ["#a"] }));
      server.pause();
      await pia.say("#a", "said to a stopped server");
      await pia.raw("PING :still-there");
      await expect(ira.ears.untilText("#a", "stopped server", 300)).rejects.toThrow("waited 300 ms");
      expect(pia.lines.join("\n")).not.toContain("still-there");
      server.resume();
      await ira.ears.untilText("#a", "said to a stopped server");
    });

    test("a killed server comes back on its port, with nobody in it", async () => {
      const server = await onStage(start());
      await onStage(pythonPerson({ port: server.port, nick: "pia", channels: ["#a"] }));
      await server.kill();
      await server.restart();
      const ira = await onStage(pythonPerson({ port: server.port, nick: "ira", channels: ["#a"] }));
      expect(ira.lines.find((line) => / 353 ira /.test(line))).toMatch(/:@?ira\s*$/);
    });

    test("TLS and a password", async () => {
      const server = await onStage(start({ tls: true, password: "sesame" }));
      const ca = await readFile(server.certificate?.certificate ?? "");
      const socket = tls.connect({ host: "127.0.0.1", port: server.tlsPort, ca });
      const welcomed = Promise.withResolvers<void>();
      socket.on("error", welcomed.reject);
      socket.on("data", (part: Buffer) => {
        const ping = /^PING (\S+)/m.exec(part.toString());
        if (ping !== null) socket.write(`PONG ${ping[1]}\r\n`);
        if (/ 001 tim /.test(part.toString())) welcomed.resolve();
      });
      socket.write("PASS sesame\r\nNICK tim\r\nUSER tim 0 * :tim\r\n");
      await within(welcomed.promise, () => `the welcome over TLS; the server printed:\n${server.log()}`);
      socket.destroy();
      const stranger = pythonPerson({ port: server.port, nick: "ira", channels: [], password: "wrong" });
      await expect(stranger).rejects.toThrow(/ira was turned away/);
    });
  });

  test("a launcher says what its server printed when it does not start", async () => {
    const first = await onStage(startNgircd());
    await expect(startNgircd({ password: `x\nListen = 192.0.2.1\nPorts = ${first.port}` })).rejects.toThrow(
      /did not start; it printed:[\s\S]*ngIRCd/,
    );
  });
});
