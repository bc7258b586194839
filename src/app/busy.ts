import { createServer } from "node:net";
import { explainListenError, listenAt } from "../http/listen.ts";
import { parseAddress } from "../lib/address.ts";

/** Why nobody could listen on `host:port` now; null: it is free. */
export async function whyBusy(bindAddress: string): Promise<string | null> {
  const address = parseAddress(bindAddress);
  if ("error" in address) return address.error;
  const server = createServer();
  try {
    await listenAt(address, async (host, port) => {
      const listening = Promise.withResolvers<void>();
      server.once("error", listening.reject);
      server.listen({ host, port }, listening.resolve);
      await listening.promise;
    });
    return null;
  } catch (error) {
    return explainListenError(error);
  } finally {
    server.close();
  }
}
