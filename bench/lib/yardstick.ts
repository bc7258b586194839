import { type Child, startChild } from "./child.ts";

/**
 * What the same machine, Node and client can do at best: a bare `node:http` server that reads a POST's body, parses it
 * and answers a JSON object as large as Rialto's. Nothing is stored.
 */
export async function startYardstick(): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const child: Child<{ readonly listen: true }, number> = startChild("yardstick");
  const port = await child.ask({ listen: true });
  return { port, stop: child.stop };
}
