import type { Address } from "../lib/address.ts";

/** Binds a server to `host` and `port`; rejects with an error of the system. */
export type Bind = (host: string, port: number) => Promise<unknown>;

/**
 * Listens where the address says. An empty host is every interface: IPv6 and IPv4, or IPv4 alone where the machine has
 * no IPv6. `localhost` is 127.0.0.1, whatever the resolver gives first.
 */
export async function listenAt({ host, port }: Address, bind: Bind): Promise<void> {
  if (host !== "") return void (await bind(host.toLowerCase() === "localhost" ? "127.0.0.1" : host, port));
  try {
    await bind("::", port);
  } catch (error) {
    const code = codeOf(error);
    if (code !== "EAFNOSUPPORT" && code !== "EADDRNOTAVAIL") throw error;
    await bind("0.0.0.0", port);
  }
}

/** Why the system did not let us listen, and how to fix it. */
export function explainListenError(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return `another program listens there; stop it or choose another port (${said})`;
    case "EACCES":
      return `this user may not listen there; choose a port from 1024 up, or give the program the right to bind low ports (${said})`;
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
      return `this machine does not have that address; bind to one of its own, or to 127.0.0.1 (${said})`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the host name is unknown here; write an address, such as 127.0.0.1 (${said})`;
    default:
      return said;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
