import net from "node:net";

/**
 * Ports that were free a moment ago, all different. Not port 0: what the system hands out by itself may be taken again at
 * once, as the near end of some outgoing connection.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
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
