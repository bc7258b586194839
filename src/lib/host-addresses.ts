import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { onAbort } from "./abort.ts";

export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

export interface HostAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

export type FoundAddresses =
  | { readonly is: "found"; readonly addresses: readonly HostAddress[] }
  /** The name has no address now. */
  | { readonly is: "unknown"; readonly why: string }
  /** One of them at least is not allowed. */
  | { readonly is: "closed" }
  | { readonly is: "aborted" };

/** All addresses of a host (a name, or an address without brackets), if each of them is allowed. Never rejects. */
export async function hostAddresses(
  host: string,
  options: {
    readonly allowed: (address: string) => boolean;
    readonly signal: AbortSignal;
    /** That of the system unless a test has its own. */
    readonly resolve?: Resolve;
  },
): Promise<FoundAddresses> {
  const { signal, resolve = resolveBySystem } = options;
  let addresses: readonly HostAddress[];
  if (isIP(host) !== 0) addresses = [{ address: host, family: isIP(host) }];
  else {
    const aborted = Promise.withResolvers<null>();
    const release = onAbort(signal, () => aborted.resolve(null));
    const answer = await Promise.race([aborted.promise, resolve(host).catch(codeOf)]);
    release();
    if (answer === null) return { is: "aborted" };
    if (typeof answer === "string") return { is: "unknown", why: `the host ${host} cannot be found (${answer})` };
    addresses = answer;
  }
  if (addresses.length === 0) return { is: "unknown", why: `the host ${host} has no address` };
  // One private address among public ones is a trick, not a mistake.
  return addresses.every(({ address }) => options.allowed(address)) ? { is: "found", addresses } : { is: "closed" };
}

/** The look-up of a request that may connect to these addresses and to no others: a second answer could differ. */
export function pinned(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}

const resolveBySystem: Resolve = async (host) => await systemLookup(host, { all: true });

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error";
