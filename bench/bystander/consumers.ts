import { type Case, repeat, type Scene } from "./case.ts";

/** The largest filter that passed before filters had a limit in bytes. */
const LARGE = Array.from({ length: 1000 }, (_, index) => `net.${String(index).padEnd(200, "x")}`);
/** The largest filter that passes today. */
const SMALLER = LARGE.slice(0, 70);
const CONSUMERS = 2000;
const AT_ONCE = 8;

/** Makes as many consumers as one token may have, with filters as large as they may be. */
async function fill({ smoke, token, ask }: Scene): Promise<readonly string[]> {
  const mine = await token("read");
  let next = 0;
  let accounts = LARGE;
  const put = async (): Promise<void> => {
    while (next < (smoke ? 20 : CONSUMERS)) {
      const path = `/v1/consumers/c${(next += 1)}`;
      const { status } = await ask(path, { method: "PUT", token: mine, body: { start: "new", filter: { accounts } } });
      if (status === 400) accounts = SMALLER;
      if (status === 422 || status === 429) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, put));
  return [mine];
}

const lists = (count: number): Case => ({
  name: `consumers-${count}`,
  prepare: fill,
  attack: async (scene, [token = ""]) => await repeat(count, scene, () => scene.ask("/v1/consumers", { token })),
});

/** One token makes consumers with large filters, and asks for the list of them. */
export const consumerCases: readonly Case[] = [lists(1), lists(4), lists(16)];
