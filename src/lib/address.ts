/** An address to listen on or to connect to. `host` is without brackets; empty means every interface. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

type Fault = "host" | "no-port" | "no-brackets" | "not-six" | "port";

/**
 * An IP address as sockets and people write it, in one spelling: no IPv4 in IPv6, no zone, `::1` in its short form.
 */
export function plainIp(address: string): string {
  const plain = address.replace(/%.*$/u, "");
  if (!plain.includes(":")) return plain;
  const six = URL.parse(`http://[${plain}]`)?.hostname.slice(1, -1) ?? plain;
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/u.exec(six) ?? [];
  if (high === undefined || low === undefined) return six;
  return [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 0xff]).join(".");
}

const hostRule = "the host must be a name or an address without scheme, path or star, as in 127.0.0.1:4242 or :4242";
const toListen: Readonly<Record<Fault, string>> = {
  host: hostRule,
  "no-port": "it has no port; write host:port, such as 127.0.0.1:4242 or :4242",
  "no-brackets": "an IPv6 address needs brackets, as in [::1]:4242",
  "not-six": "the text in brackets is not an IPv6 address, such as [::1]:4242",
  port: "the port must be a number from 0 to 65535, as in 127.0.0.1:4242",
};
const toConnect: Readonly<Record<Fault, string>> = {
  host: "the host must be a name or an address without scheme, path or user",
  "no-port": "it has no port; write host:port",
  "no-brackets": "an IPv6 address needs brackets and a port, as in [2001:db8::7]:port",
  "not-six": "the text in brackets is not an IPv6 address",
  port: "the port must be a number from 1 to 65535",
};

/**
 * Reads `host:port`, `:port` or `[v6]:port` to listen on. The error says what is wrong and how to write it; no address
 * in it.
 */
export function parseAddress(text: string): Address | { readonly error: string } {
  const address = read(text);
  return typeof address === "string" ? { error: toListen[address] } : address;
}

/** Reads `host:port` or `[v6]:port` to connect to; otherwise like `parseAddress`. */
export function parseRemote(text: string): Address | { readonly error: string } {
  const address = read(text);
  if (typeof address === "string") return { error: toConnect[address] };
  if (address.host === "") return { error: toConnect.host };
  return address.port === 0 ? { error: toConnect.port } : address;
}

/** No name of a host is longer. */
const TEXT_MAX = 300;

function read(text: string): Address | Fault {
  if (text.length > TEXT_MAX || /[/\s*@]/u.test(text)) return "host";
  const match = /^(?:\[(?<six>[^\]]*)\]|(?<host>[^[\]]*)):(?<port>[^:]*)$/u.exec(text);
  const { six, host, port } = match?.groups ?? {};
  if (port === undefined) return "no-port";
  if (host?.includes(":")) return "no-brackets";
  if (six !== undefined && !/^[\da-f:.]+(?:%[\w.-]+)?$/iu.test(six)) return "not-six";
  if (!/^\d{1,5}$/u.test(port) || Number(port) > 65_535) return "port";
  const name = six ?? host ?? "";
  return /^[\w.:%-]*$/u.test(name) ? { host: name, port: Number(port) } : "host";
}

/** Whether two listeners on these addresses would get in each other's way. Port 0 (any free one) never does. */
export function addressesClash(a: Address, b: Address): boolean {
  if (a.port !== b.port || a.port === 0) return false;
  const [x, y] = [hostKind(a.host), hostKind(b.host)];
  if (x.host === y.host || x.host === "any" || y.host === "any") return true;
  if (x.host === "any4") return y.family !== "6";
  if (y.host === "any4") return x.family !== "6";
  // "localhost" is bound on whichever of the two loopback addresses the resolver gives first.
  const loopback = [x.host, y.host].sort().join(" ");
  return loopback === "127.0.0.1 localhost" || loopback === "::1 localhost";
}

function hostKind(written: string): { readonly host: string; readonly family: "4" | "6" | "name" } {
  const host = written.toLowerCase();
  if (host === "" || /^[0:]*:[0:]*$/u.test(host)) return { host: "any", family: "6" };
  if (host === "0.0.0.0") return { host: "any4", family: "4" };
  if (/^(?:0*:)*(?:0*:)0*1$/u.test(host)) return { host: "::1", family: "6" };
  if (host.includes(":")) return { host, family: "6" };
  return { host, family: /^[\d.]+$/u.test(host) ? "4" : "name" };
}

/** Whether only programs on this machine reach a listener on this host. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || name === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(name);
}
