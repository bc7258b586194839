import { describe, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startHybrid } from "../servers/irc/hybrid.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { iiPerson } from "../servers/people/ii.ts";
import { type PythonPerson, pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import { startRialto } from "../support/rialto.ts";
import { arrival, brought, compare, gateway, latency, numbered, postAll, receiptsIn } from "./world.ts";

/** Tests that wait for a minute or more, side by side. */

const CHANNEL = "#square";

/** Four accounts, because the server takes no more than a line a second from each. */
const ACCOUNTS = ["a", "b", "c", "d"];
const FLOOD_POSTS = 50;

const STOPPED_MS = 60_000;

needs(["ngircd", "ircd-hybrid", "ii", "python3-irc"], () => {
  describe.concurrent("patience", () => {
    test("a server stopped for a minute while 200 messages are posted", async (context) => {
      const server = await onStage(startNgircd(), context);
      const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: [CHANNEL] }), context);
      const ira = await onStage(iiPerson({ port: server.port, nick: "ira", channels: [CHANNEL] }), context);
      const config = gateway({ irc: { net: { port: server.port, channel: CHANNEL } }, api: ["one", "two"] });
      const rialto = await onStage(startRialto({ config }), context);
      await arrival(pia, CHANNEL);
      const one = rialto.client("one");
      const stream = await rialto.client("two").stream();
      const texts = numbered("post", 200);
      await latency(one, stream, { label: "warm-up", count: 200, everyMs: 1 });
      const before = await latency(one, stream, { label: "before", count: 200, everyMs: 20 });
      await pia.ears.untilText(CHANNEL, "before 199");

      const stoppedAt = performance.now();
      server.pause();
      await postAll(one, texts);
      const during = await latency(one, stream, { label: "during", count: 200, everyMs: 20 });
      await new Promise((resolve) => setTimeout(resolve, STOPPED_MS - (performance.now() - stoppedAt)));
      server.resume();
      await pia.ears.untilText(CHANNEL, "during 199", 20_000);
      await ira.ears.untilText(CHANNEL, "during 199", 20_000);
      expect(await rialto.stop()).toEqual({ code: 0, signal: null });

      const receipts = await receiptsIn(rialto.dataPath, { api: "one", gateway: "square" });
      for (const person of [pia, ira]) {
        const found = compare(texts, brought(person.ears.in(CHANNEL), "<anna> "));
        console.log(
          `figures: ngircd stopped for ${STOPPED_MS / 1_000} s: ${person.nick} has ${found.arrived} of 200, ${found.doubled.length} doubled, ` +
            `${receipts.length} unconfirmed, in order: ${found.inOrder}; API to API p50/p99 before ${before.p50.toFixed(1)}/${before.p99.toFixed(1)} ms, ` +
            `meanwhile ${during.p50.toFixed(1)}/${during.p99.toFixed(1)} ms`,
        );
        expect(found).toEqual({ arrived: 200, missing: [], doubled: [], inOrder: true });
      }
      expect(receipts).toEqual([]);
    });

    test(
      "200 posts pass the flood control of ircd-hybrid without a disconnect",
      { timeout: 180_000 },
      async (context) => {
        const server = await onStage(startHybrid(), context);
        const people = new Map<string, PythonPerson>();
        for (const name of ACCOUNTS) {
          const person = pythonPerson({ port: server.port, nick: `person-${name}`, channels: [`#${name}`] });
          people.set(name, await onStage(person, context));
        }
        const square = (name: string): string =>
          gateway({
            name,
            irc: { [name]: { port: server.port, channel: `#${name}`, nick: `rialto-${name}`, settings: "" } },
            api: [name],
          });
        const rialto = await onStage(startRialto({ config: ACCOUNTS.map(square).join("\n") }), context);
        for (const [name, person] of people) await arrival(person, `#${name}`, { by: `rialto-${name}` });
        const begin = performance.now();
        const cross = async ([name, person]: readonly [string, PythonPerson]): Promise<void> => {
          const texts = numbered(`a post to ${name} that is about as long as such posts are, number`, FLOOD_POSTS);
          await postAll(rialto.client(name), texts);
          const heard = await person.ears.untilText(`#${name}`, texts.at(-1)!, 150_000);
          const lines = brought(heard, "<anna> ", `rialto-${name}`);
          expect(compare(texts, lines)).toEqual({ arrived: FLOOD_POSTS, missing: [], doubled: [], inOrder: true });
          expect(heard.filter(({ kind }) => kind === "leave")).toEqual([]);
          expect(heard.filter(({ kind, nick }) => kind === "join" && nick.startsWith("rialto"))).toHaveLength(1);
        };
        await Promise.all([...people].map(cross));
        const seconds = (performance.now() - begin) / 1_000;
        console.log(
          `figures: ircd-hybrid: ${ACCOUNTS.length * FLOOD_POSTS} posts by ${ACCOUNTS.length} accounts in ${seconds.toFixed(0)} s ` +
            `(${(seconds / FLOOD_POSTS).toFixed(2)} s a post), no disconnect, all in order`,
        );
      },
    );
  });
});
