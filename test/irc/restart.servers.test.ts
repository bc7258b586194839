import { expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startBouncer } from "../servers/irc/bouncer.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { iiPerson } from "../servers/people/ii.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { startProxy } from "../servers/proxy.ts";
import { onStage } from "../servers/stage.ts";
import { launch } from "../support/suite.ts";
import { arrival, brought, compare, gateway, latency, numbered, postAll, receiptsIn } from "./world.ts";

const CHANNEL = "#square";
const POSTS = 200;

needs(["ngircd", "inspircd", "ii", "python3-irc"], () => {
  test.each([
    ["ngircd killed", startNgircd, false],
    ["inspircd killed", startInspircd, false],
    // What is written meanwhile dies in the server's socket: a window of lines, and nobody can know which of them were
    // read.
    ["ngircd stopped, then killed", startNgircd, true],
  ] as const)("%s and started again in the middle of 200 posts", async (name, start, hangs) => {
    const server = await onStage(start());
    const bouncer = await onStage(startBouncer(server.port));
    const pia = await onStage(pythonPerson({ port: bouncer.port, nick: "pia", channels: [CHANNEL] }));
    const ira = await onStage(iiPerson({ port: bouncer.port, nick: "ira", channels: [CHANNEL] }));
    const proxy = await onStage(startProxy(server.port));
    const rialto = await launch({
      config: gateway({ irc: { net: { port: proxy.port, channel: CHANNEL } }, api: ["one", "two"] }),
    });
    await arrival(pia, CHANNEL);
    const one = rialto.client("one");
    const stream = await rialto.client("two").stream();
    await latency(one, stream, { label: "warm-up", count: 100, everyMs: 1 });
    const before = await latency(one, stream, { label: "before", count: 100, everyMs: 2 });
    await pia.ears.untilText(CHANNEL, "before 99");

    const texts = numbered("post", POSTS);
    const back = bouncer.back();
    const posting = postAll(one, texts.slice(0, POSTS / 2));
    await pia.ears.untilText(CHANNEL, "post 20");
    if (hangs) {
      server.pause();
      await posting;
    }
    // People come back first, so that whatever is sent again finds them there.
    proxy.shut();
    await server.kill();
    await posting;
    await postAll(one, texts.slice(POSTS / 2));
    const during = await latency(one, stream, { label: "during", count: 100, everyMs: 2 });
    await server.restart();
    await back;
    proxy.open();
    await pia.ears.untilText(CHANNEL, "during 99", 30_000);
    await ira.ears.untilText(CHANNEL, "during 99", 30_000);
    expect(await rialto.stop()).toEqual({ code: 0, signal: null });

    const receipts = await receiptsIn(rialto.dataPath, { api: "one", gateway: "square" });
    const unconfirmed = receipts.filter(({ state }) => state === "unconfirmed").map(({ text }) => text);
    for (const person of [pia, ira]) {
      const lines = brought(person.ears.in(CHANNEL), "<anna> ");
      const found = compare(texts, lines);
      console.log(
        `figures: ${name} and restarted in ${POSTS} posts: ${person.nick} has ${found.arrived}, ${found.doubled.length} doubled, ` +
          `${unconfirmed.length} unconfirmed of which ${unconfirmed.filter((text) => lines.includes(text)).length} had arrived, in order: ` +
          `${found.inOrder}; API to API p99 before ${before.p99.toFixed(1)} ms, meanwhile ${during.p99.toFixed(1)} ms`,
      );
      expect(found.doubled).toEqual([]);
      expect(found.inOrder).toBe(true);
      expect(found.missing.filter((text) => !unconfirmed.includes(text))).toEqual([]);
    }
    expect(receipts.filter(({ state }) => state === "failed" || state === "expired")).toEqual([]);
  });
});
