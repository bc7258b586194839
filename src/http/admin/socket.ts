import { chmodSync, closeSync, mkdtempSync, openSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The control socket, in the data folder. Whoever may open it rules the program: it is its user's alone. */
const SOCKET_NAME = "rialto.sock";
/** Bytes of a path that the system takes for a socket, without the zero after it. */
const PATH_MAX = 107;

/** Where the socket of a data folder is. */
export function socketPath(dataPath: string): string {
  return join(dataPath, SOCKET_NAME);
}

/**
 * Calls `use` with a path to `name` in `folder` that is short enough for a socket. Linux reaches a folder that is open
 * through /proc, however long its own path is; elsewhere a path that is too long is an error.
 */
export async function withShortPath<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= PATH_MAX) return await use(path);
  if (process.platform !== "linux") {
    throw new Error(`the path ${path} is too long for a socket (${PATH_MAX} bytes): choose a shorter general.DataPath`);
  }
  const fd = openSync(folder, "r");
  try {
    return await use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}

/**
 * Listens on the socket of a data folder. It is made in a folder of its own that nobody else can enter, narrowed to its
 * user, and only then put in its place, so that it is open to nobody at any time, whatever the umask; what an earlier
 * life left there is replaced. `listen` must bind the path it is given. Resolves with the function that removes the
 * socket; rejects with an error of the system.
 */
export async function listenOnSocket(
  dataPath: string,
  listen: (path: string) => Promise<unknown>,
): Promise<() => void> {
  const scratch = mkdtempSync(join(dataPath, ".s-"));
  try {
    await withShortPath(scratch, "s", listen);
    chmodSync(join(scratch, "s"), 0o600);
    renameSync(join(scratch, "s"), socketPath(dataPath));
  } finally {
    rmSync(join(scratch, "s"), { force: true });
    rmdirSync(scratch);
  }
  return () => rmSync(socketPath(dataPath), { force: true });
}
