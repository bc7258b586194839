import { BlockList, isIP } from "node:net";

/** IPv4 networks that are not for everybody (IANA IPv4 Special-Purpose Address Registry), and multicast. */
const CLOSED_4: readonly (readonly [net: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/** Parts of 2000::/3, all that is public in IPv6, that are not: Teredo and its neighbours, documentation, 6to4. */
const CLOSED_6: readonly (readonly [net: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const closed = new BlockList();
for (const [net, prefix] of CLOSED_4) closed.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of CLOSED_6) closed.addSubnet(net, prefix, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");
/** Where translators put IPv4 addresses (RFC 6052): they are as public as what they stand for. */
const translated = new BlockList();
translated.addSubnet("64:ff9b::", 96, "ipv6");

/**
 * Whether an address belongs to the Internet, so that a stranger's link may lead there; false for what is no address.
 */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, "ipv4");
    case 6:
      if (address.includes("%")) return false;
      if (translated.check(address, "ipv6")) return isPublic(lastFourBytes(address));
      return global6.check(address, "ipv6") && !closed.check(address, "ipv6");
    default:
      return false;
  }
}

/** Names that mean something inside a network alone: a single label, and those that RFC 6761, 6762 and 8375 keep. */
const INNER =
  /^[^.]*\.?$|(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|private|corp|home|home\.arpa)\.?$/iu;

/** The same of a host that somebody else looks up: an address by itself, a name by what it is used for. */
export function isPublicHost(host: string): boolean {
  return isIP(host) === 0 ? !INNER.test(host) : isPublic(host);
}

/**
 * Networks where no file server is, whatever the operator allows: the metadata of clouds (169.254.169.254 and its like
 * give passwords away), and what is no single machine.
 */
const NOWHERE_4: readonly (readonly [net: string, prefix: number])[] = [
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const NOWHERE_6: readonly (readonly [net: string, prefix: number])[] = [
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
  ["ff00::", 8],
];

const nowhere = new BlockList();
for (const [net, prefix] of NOWHERE_4) nowhere.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of NOWHERE_6) nowhere.addSubnet(net, prefix, "ipv6");

/** Whether an address may be asked where private ones are allowed. */
export function isReachable(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !nowhere.check(address, "ipv4");
    case 6:
      if (address.includes("%")) return false;
      // An IPv4 address in IPv6 clothes (::ffff:0:0/96) is looked up among the former, too.
      if (translated.check(address, "ipv6")) return isReachable(lastFourBytes(address));
      return !nowhere.check(address, "ipv6");
    default:
      return false;
  }
}

/**
 * Whether a web server may be there: below 1024, other services of the world live that understand more than they
 * should.
 */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}

/** The IPv4 address at the end of an IPv6 address, dotted. */
function lastFourBytes(address: string): string {
  // URL writes every IPv6 address in one way: hexadecimal groups, the longest run of zeros as `::`.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":");
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group === "" ? "0" : group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
