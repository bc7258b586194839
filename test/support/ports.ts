import net from "node:net";

/** Below what the system hands out by itself, and above 10080, which `fetch` refuses (Fetch Standard §2.9). */
const FIRST = 10_100;
const COUNT = 22_000;
/** Test files that run side by side take from ranges of their own: nobody takes a port that another is about to use. */
const RANGES = 16;
const SIZE = COUNT / RANGES;
/** The first range of this run, where another run goes on beside it. */
const OWN = Number(process.env["PORT_RANGE"] ?? 0);
const BASE = FIRST + ((OWN + Number(process.env["VITEST_POOL_ID"] ?? 0)) % RANGES) * SIZE;
/** Not always from the beginning: what the file before has left may not be gone yet. */
let next = Math.floor(Math.random() * SIZE);

/**
 * Ports that were free a moment ago, all different. Not port 0: what the system hands out by itself may be taken again
 * at once, as the near end of some outgoing connection.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = BASE + (next++ % SIZE);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
