import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { WebGround } from "./web-ground.ts";
import { type Deed, deed } from "./web-requests.ts";

/** Inputs that one server bears before it is closed, looked through, and opened again over the same folder. */
const INPUTS = 200;

let ground: WebGround | null = null;
let given = 0;

async function run(deeds: readonly Deed[]): Promise<void> {
  ground ??= new WebGround();
  const standing = ground;
  try {
    if (given % INPUTS === 0) await standing.open();
    given += 1;
    await standing.begin();
    for (const one of deeds) await standing.does(one);
    await standing.judge();
    if (given % INPUTS === 0) await standing.close();
  } catch (error) {
    // The next input has a server of its own.
    await end();
    throw error;
  }
}

async function end(): Promise<void> {
  const last = ground;
  [ground, given] = [null, 0];
  await last?.dispose();
}

/** What guests of the web chat and strangers ask its server, while operators and other networks act. */
export const web: Target = {
  name: "web",
  make: (random: Random): Case => {
    const deeds = Array.from({ length: 1 + random.int(5) }, () => deed(random));
    return { show: () => deeds.map((one) => JSON.stringify(one)).join("\n"), run: async () => await run(deeds) };
  },
  end,
};
