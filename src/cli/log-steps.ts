import type { LogSeen, ServerSeen, StreamSeen } from "../log/nats/inspect.ts";

/** What was found of the servers that carry a log. `warning`: it works, but somebody should look at it. */
export interface LogStep {
  readonly ok: boolean;
  readonly warning?: true;
  readonly why: string;
  readonly remedy: string;
}

/** Oldest version that carries a log, and the oldest that does it well. */
const OLDEST = [2, 9] as const;
const GOOD = [2, 10] as const;
/** Copies that survive the loss of one server. */
const COPIES = 3;
const CLOCK_MS = 1000;
const MEBIBYTE = 1024 * 1024;
/** Less room than that is too little, in bytes. */
const ROOM_BYTES = 512 * MEBIBYTE;
const CLUSTER = "Use three servers in one cluster: docs/cluster.md has their configuration.";

type Seen = Extract<ServerSeen, { is: "seen" }>;

/** What `check --online` says of the servers of a log. `isPowerSafe`: `Durability` is "power". Pure. */
export function logSteps({ servers, stream, name, freeBytes }: LogSeen, isPowerSafe: boolean): readonly LogStep[] {
  const seen = servers.filter((server) => server.is === "seen");
  return [
    ...servers.map(serverStep),
    ...openSteps(seen),
    ...(stream === null ? [] : streamSteps(stream, name)),
    ...togetherSteps(seen, stream, name),
    ...roomSteps(seen, freeBytes),
    ...syncSteps(seen, isPowerSafe),
    ...clockSteps(seen, stream),
  ];
}

const fine = (why: string, remedy = ""): LogStep => ({ ok: true, why, remedy });
const odd = (why: string, remedy: string): LogStep => ({ ok: true, warning: true, why, remedy });
const wrong = (why: string, remedy: string): LogStep => ({ ok: false, why, remedy });

function serverStep(server: ServerSeen): LogStep {
  const { server: address } = server;
  switch (server.is) {
    case "unreached":
      return wrong(`${address} cannot be reached: ${server.reason}`, "Start nats-server there, or correct Log.");
    case "credentials":
      return wrong(
        `${address} does not let Rialto in: ${server.reason}`,
        "Make LogUser and LogPassword, LogToken or LogCredentials in [general] what the configuration of the server has.",
      );
    case "certificate":
      return wrong(
        `the certificate of ${address} is not trusted: ${server.reason}`,
        "Name the file of its authority in NODE_EXTRA_CA_CERTS, and write in Log the name that the certificate has.",
      );
    case "seen":
      return versionStep(address, server);
  }
}

function versionStep(address: string, { version, name, cluster }: Seen): LogStep {
  const where = cluster === null ? name : `${name} of the cluster ${cluster}`;
  const what = `${address} is ${where}, nats-server ${version}`;
  if (isOlder(version, OLDEST)) return wrong(`${what}, which is too old`, `Install ${GOOD.join(".")} or newer.`);
  if (!isOlder(version, GOOD)) return fine(what);
  return odd(`${what}: it is slow, and refuses sync_interval: always`, `Install ${GOOD.join(".")} or newer.`);
}

/** Servers that accept connections from anyone. */
function openSteps(seen: readonly Seen[]): readonly LogStep[] {
  const which = seen.flatMap(({ server, isOpen }) => (isOpen ? [server] : []));
  if (which.length === 0) return [];
  return [
    odd(
      `${which.join(", ")} accept${which.length === 1 ? "s" : ""} connections from anyone, without a password: any program that reaches a server can read all messages and tokens, and can write into your rooms`,
      "Add authorization { user: …, password: … } to the configuration of each server, and LogUser and LogPassword to [general].",
    ),
  ];
}

/** False where a version is none. */
function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const found = /^v?(\d+)\.(\d+)/u.exec(version);
  if (found === null) return false;
  const [one, two] = [Number(found[1]), Number(found[2])];
  return one < major || (one === major && two < minor);
}

function streamSteps(stream: StreamSeen, name: string): readonly LogStep[] {
  switch (stream.is) {
    case "disabled":
      return [
        wrong("JetStream is not enabled on the servers, or not for this user", "Add jetstream { store_dir: … }."),
      ];
    case "unknown":
      return [wrong(`the servers do not say whether they have the log: ${stream.reason}`, "Look at their own logs.")];
    case "missing":
      return [fine("JetStream is enabled; there is no log on the servers yet, the first start makes it")];
    case "there":
      return [thereStep(stream, name)];
  }
}

function thereStep({ replicas, isLed, behind }: Extract<StreamSeen, { is: "there" }>, name: string): LogStep {
  const what = `JetStream is enabled; the log (stream ${name}) is kept on ${replicas} server${replicas === 1 ? "" : "s"}`;
  if (!isLed) return wrong(`${what}, of which too few can be reached: nothing is accepted`, "Start the others.");
  if (behind.length > 0)
    return odd(`${what}, of which ${behind.join(", ")} lacks a part of it`, "Look after that server.");
  return fine(what);
}

/** Whether they are one cluster, and enough. */
function togetherSteps(seen: readonly Seen[], stream: StreamSeen | null, name: string): readonly LogStep[] {
  const ids = new Set(seen.map(({ id }) => id));
  const clusters = new Set(seen.map(({ cluster, id }) => cluster ?? id));
  if (clusters.size > 1) {
    const which = seen.map(({ server }) => server).join(" and ");
    return [wrong(`${which} are not servers of one cluster, so each has a log of its own`, CLUSTER)];
  }
  const [first] = seen;
  if (first === undefined) return [];
  if (first.cluster === null) return [odd("there is one server: what was accepted is lost with it", CLUSTER)];
  if (stream?.is === "there" && stream.replicas < COPIES) {
    const how = `With the tool of NATS: nats stream edit ${name} --replicas ${COPIES}, and the same for OBJ_${name}.`;
    return [odd(`fewer than ${COPIES} servers keep it: the loss of one stops it`, how)];
  }
  const known = Math.max(ids.size, ...seen.map(({ named }) => named));
  return known < COPIES
    ? [odd(`of the cluster ${first.cluster}, ${known} are known here`, `Name ${COPIES} in Log.`)]
    : [];
}

function roomSteps(seen: readonly Seen[], freeBytes: number | null): readonly LogStep[] {
  const rooms = seen.flatMap(({ server, monitor }) =>
    monitor === null || monitor.freeBytes === null ? [] : [{ of: server, bytes: monitor.freeBytes }],
  );
  if (freeBytes !== null) rooms.push({ of: "the user's account", bytes: freeBytes });
  const steps = rooms.map(({ of, bytes }): LogStep => {
    const what = `${of} has room for ${Math.max(0, Math.floor(bytes / MEBIBYTE))} MiB`;
    const more = "Raise max_file of jetstream { … }, or the limit of the account.";
    if (bytes <= 0) return wrong(what, more);
    return bytes < ROOM_BYTES ? odd(what, more) : fine(what);
  });
  return steps;
}

function syncSteps(seen: readonly Seen[], isPowerSafe: boolean): readonly LogStep[] {
  const unseen = seen.filter(({ monitor }) => monitor?.syncMs === undefined || monitor.syncMs === null);
  const steps = seen.flatMap(({ server, monitor }): readonly LogStep[] => {
    if (monitor?.syncMs === undefined || monitor.syncMs === null) return [];
    if (monitor.syncMs === 0) return [fine(`${server} writes each commit to the disk before it acknowledges it`)];
    const what = `${server} writes to the disk every ${monitor.syncMs / 1000} s: a power cut of all servers takes back what was accepted since`;
    return [isPowerSafe ? odd(what, "Set sync_interval: always in jetstream { … }.") : fine(what)];
  });
  if (unseen.length === 0) return steps;
  const which = unseen.map(({ server }) => server).join(", ");
  const why = `whether ${which} writes each commit to the disk before it acknowledges it cannot be seen: nobody says so at port 8222`;
  return [
    ...steps,
    fine(
      why,
      "Set sync_interval: always in jetstream { … }; with http: 8222, a port to be closed to others, it can be seen.",
    ),
  ];
}

function clockSteps(seen: readonly Seen[], stream: StreamSeen | null): readonly LogStep[] {
  const clocks = seen.flatMap(({ server, monitor }) => (monitor === null ? [] : [{ of: server, ms: monitor.aheadMs }]));
  if (stream?.is === "there" && stream.aheadMs !== null)
    clocks.push({ of: "the leader of the log", ms: stream.aheadMs });
  const off = clocks.filter(({ ms }) => Math.abs(ms) > CLOCK_MS);
  if (off.length === 0)
    return clocks.length === 0 ? [] : [fine("the clocks of the servers are like that of this machine")];
  return off.map(({ of, ms }) => {
    const side = ms > 0 ? "ahead of" : "behind";
    const what = `the clock of ${of} is ${(Math.abs(ms) / 1000).toFixed(1)} s ${side} that of this machine`;
    return odd(`${what}; messages have the time of the servers`, "Let NTP set both.");
  });
}
