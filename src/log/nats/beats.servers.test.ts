import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import { eventually } from "../../../test/support/wait.ts";
import { Beats } from "./beats.ts";
import { connectNats } from "./connect.ts";
import { ownServers } from "./nodes.suite.ts";

/** Beats come to nobody as they are published, as between servers that do not reach each other. */
const DEAF = `authorization { users: [{ user: u, password: p, permissions: { subscribe: { deny: "r.hb.>" } } }] }`;

/** Longer than from one word of a node to the next, as it is outside of tests. */
const ASK_MS = 200;

needs(["nats-server"], () => {
  test("a node that is not heard is known to live while the servers have new words of it, and no longer", async () => {
    const cluster = await ownServers(1, DEAF);
    const open = async (node: string) => {
      const auth = { user: "u", password: "p" };
      const nc = await connectNats({ servers: cluster.servers, node, auth, tls: null });
      onTestFinished(() => nc.close());
      return await Beats.open(nc, "0", 1, ASK_MS);
    };
    const [listener, ...speakers] = [await open("n1"), await open("n2"), await open("n3")];
    const said: (Promise<boolean> | undefined)[] = [];
    const talking = ["n2", "n3"].map((node, at) => {
      let count = 0;
      return setInterval(() => {
        said[at] = speakers[at]?.say(node, `${node} ${(count += 1)}`);
      }, ASK_MS / 4);
    });
    onTestFinished(() => {
      for (const timer of talking) clearInterval(timer);
    });
    const heard: string[] = [];
    onTestFinished(listener.listen((word) => heard.push(word)));
    const of = (node: string): number => heard.filter((word) => word.startsWith(`${node} `)).length;
    const hears = async (node: string, more: number): Promise<void> => {
      const enough = of(node) + more;
      await eventually(
        () => Promise.resolve(of(node)),
        (count) => count >= enough,
        () => `${more} words of ${node}; ${heard.join(", ")}`,
      );
    };
    await hears("n2", 2);
    await hears("n3", 2);
    expect(new Set(heard).size).toBe(heard.length);
    clearInterval(talking[0]);
    expect(await said[0]).toBe(true);
    // What it had said last may be found yet.
    await hears("n3", 2);
    const ended = of("n2");
    await hears("n3", 3);
    expect(of("n2")).toBe(ended);
  });
});
