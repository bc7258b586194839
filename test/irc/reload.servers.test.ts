import { rename, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import type { Heard } from "../servers/people/person.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import type { Rialto } from "../support/rialto.ts";
import { launch } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";
import { brought, compare, numbered } from "./world.ts";

/** A file of 200 gateways of which one gets another channel, while people talk. */

const GATEWAYS = 200;
const CHANGED = 100;
/** In which somebody listens, and something is said. */
const WATCHED = [1, 50, 99, CHANGED, 101, 150, GATEWAYS];
const ROUNDS = 60;

const channelOf = (gateway: number): string => `#room${gateway}`;
const MOVED = "#moved";

function configOf(port: number, channel: (gateway: number) => string): string {
  const lines = ["[irc.net]", `Server = "127.0.0.1:${port}"`, 'Nick = "rialto"', "MessageDelay = 0"];
  lines.push('RemoteNickFormat = "<{NICK}> "', "[api.one]", "Buffer = 100000");
  for (let gateway = 1; gateway <= GATEWAYS; gateway += 1) {
    lines.push("[[gateway]]", `name = "g${gateway}"`, "enable = true");
    lines.push("[[gateway.inout]]", 'account = "irc.net"', `channel = "${channel(gateway)}"`);
    lines.push("[[gateway.inout]]", 'account = "api.one"', 'channel = "api"');
  }
  return `${lines.join("\n")}\n`;
}

const saidBy = (rialto: Rialto, message: string): number => rialto.output().split(`"msg":"${message}"`).length - 1;

async function said(rialto: Rialto, message: string, times: number): Promise<void> {
  await eventually(
    () => Promise.resolve(saidBy(rialto, message)),
    (count) => count >= times,
    () => `"${message}" ${times} times`,
  );
}

needs(["ngircd", "python3-irc"], () => {
  test(
    "one changed channel of 200 gateways: one is left, one is joined, and nothing is lost",
    { timeout: 240_000 },
    async () => {
      const server = await onStage(startNgircd());
      const channels = [...WATCHED.map(channelOf), MOVED];
      const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels }));
      const rialto = await launch({ config: configOf(server.port, channelOf) });
      await said(rialto, "joined", GATEWAYS);

      const one = rialto.client("one");
      const posting = (async () => {
        for (const text of numbered("post", ROUNDS)) {
          for (const gateway of WATCHED) await one.say({ username: "anna", gateway: `g${gateway}`, text });
        }
      })();
      await pia.ears.untilText(channelOf(1), "post 10");
      const text = await rialto.text(
        configOf(server.port, (gateway) => (gateway === CHANGED ? MOVED : channelOf(gateway))),
      );
      const startMs = performance.now();
      await writeFile(`${rialto.file}.new`, text);
      await rename(`${rialto.file}.new`, rialto.file);
      rialto.signal("SIGHUP");
      await said(rialto, "the configuration was reloaded", 1);
      const tookMs = performance.now() - startMs;
      await posting;
      for (const gateway of WATCHED) await one.say({ username: "anna", gateway: `g${gateway}`, text: "last" });
      for (const gateway of WATCHED) await pia.ears.untilText(gateway === CHANGED ? MOVED : channelOf(gateway), "last");
      const isOver = ({ kind, nick }: Heard): boolean => kind === "leave" && nick === "rialto";
      await pia.ears.until(channelOf(CHANGED), (heard) => heard.some(isOver), "the end of the channel that went");

      const moves = (channel: string, kind: "join" | "leave"): number =>
        pia.ears.in(channel).filter((heard) => heard.nick === "rialto" && heard.kind === kind).length;
      const all = channels.map((channel) => ({
        channel,
        join: moves(channel, "join"),
        leave: moves(channel, "leave"),
      }));
      const untouched = WATCHED.filter((gateway) => gateway !== CHANGED);
      const found = untouched.map((gateway) =>
        compare(numbered("post", ROUNDS), brought(pia.ears.in(channelOf(gateway)), "<anna> ")),
      );
      const old = brought(pia.ears.in(channelOf(CHANGED)), "<anna> ");
      const moved = brought(pia.ears.in(MOVED), "<anna> ").filter((line) => line !== "last");
      console.log(
        `figures: reload of ${GATEWAYS} gateways with one changed channel: ${saidBy(rialto, "joined") - GATEWAYS} JOIN, ` +
          `${all.reduce((sum, { leave }) => sum + leave, 0)} PART, ${saidBy(rialto, "the account is online") - 1} reconnects, ${tookMs.toFixed(0)} ms from the write ` +
          `to the end; ${untouched.length} other channels x ${ROUNDS} messages meanwhile: ` +
          `${found.reduce((sum, { arrived }) => sum + arrived, 0)} arrived, ${found.flatMap(({ doubled }) => doubled).length} doubled; ` +
          `the changed gateway: ${old.length} in the old channel, ${moved.length} in the new one`,
      );
      expect(found).toEqual(untouched.map(() => ({ arrived: ROUNDS, missing: [], doubled: [], inOrder: true })));
      expect(all.map(({ channel, join, leave }) => [channel, join, leave])).toEqual(
        channels.map((channel) => [channel, 1, channel === channelOf(CHANGED) ? 1 : 0]),
      );
      expect([saidBy(rialto, "joined"), saidBy(rialto, "the account is online")]).toEqual([GATEWAYS + 1, 1]);
      // First in one, then in the other, each once; what waited for the channel that went is not said anywhere.
      expect(compare(numbered("post", ROUNDS), [...old, ...moved])).toMatchObject({ doubled: [], inOrder: true });
      expect(moved.length).toBeGreaterThan(0);
      expect(moved.at(-1)).toBe(`post ${ROUNDS}`);
    },
  );
});
