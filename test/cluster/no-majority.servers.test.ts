import { expect, test } from "vitest";
import type { ClusterView } from "../../src/admin/views.ts";
import { connectNats } from "../../src/log/nats/connect.ts";
import { openStream } from "../../src/log/nats/stream.ts";
import { needs } from "../servers/installed.ts";
import { type NatsCluster, startNats } from "../servers/nats/server.ts";
import { startProxy } from "../servers/proxy.ts";
import { onStage } from "../servers/stage.ts";
import { ApiClient } from "../support/client.ts";
import { type Answer, request } from "../support/http.ts";
import { freePorts } from "../support/ports.ts";
import { eventually } from "../support/wait.ts";
import { clusterOf, type Machine, startMachine } from "./machines.suite.ts";

const ACCOUNTS = ["one", "two", "three"];
const PATHS = ["/api/message", "/v1/gateways/square/messages"];
const PATIENCE_MS = 60_000;
/** From one round of posts to the next. */
const ROUND_MS = 50;

interface ApiMachine extends Machine {
  /** The address of each account at this machine. */
  readonly urls: readonly string[];
}

async function machine(node: string, servers: readonly string[]): Promise<ApiMachine> {
  const ports = await freePorts(ACCOUNTS.length);
  const accounts = ACCOUNTS.map((name, at) => `[api.${name}]\nBindAddress = "127.0.0.1:${ports[at]}"\n`);
  const ends = ACCOUNTS.map((name) => `{ account = "api.${name}", channel = "api" }`);
  const gateway = `[[gateway]]\nname = "square"\nenable = true\ninout = [${ends.join(", ")}]\n`;
  const log = `[general]\nLog = "nats://${servers.join(",")}"\n`;
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  return { ...startMachine(node, log + accounts.join("") + gateway), urls };
}

async function until(
  machines: readonly ApiMachine[],
  isSo: (view: ClusterView) => boolean,
  what: string,
): Promise<void> {
  for (const each of machines) {
    await eventually(
      () => clusterOf(each),
      (view) => view !== null && isSo(view),
      () => what,
      PATIENCE_MS,
    );
  }
}

/** Three machines, each of which runs one of the accounts. `way`: the servers that the first one knows. */
async function three(nats: NatsCluster, way: readonly string[] = nats.servers): Promise<readonly ApiMachine[]> {
  const servers = [way, nats.servers, nats.servers];
  const machines = await Promise.all(servers.map(async (known, at) => await machine(`n${at}`, known)));
  await Promise.all(machines.map(({ program }) => program.prints(/Rialto runs/)));
  const isShared = ({ accounts }: ClusterView): boolean =>
    new Set(accounts.flatMap(({ node }) => node ?? [])).size === machines.length;
  await until(machines, isShared, "each machine to run an account");
  return machines;
}

/** The answer, or why there is none. */
async function post(url: string, path: string, text: string): Promise<Answer | string> {
  const fields = path.startsWith("/v1") ? { text } : { text, username: "anna", gateway: "square" };
  const headers = { "Content-Type": "application/json" };
  const options = { method: "POST", headers, body: JSON.stringify(fields), patienceMs: PATIENCE_MS };
  return await request(url + path, options).catch((error: unknown) => String(error));
}

/** Posts at these machines to each account, over both APIs, until all of them have ended what they run. */
async function postUntilEnded(machines: readonly ApiMachine[]): Promise<readonly string[]> {
  const posts: Promise<Answer | string>[] = [];
  const postEverywhere = async (): Promise<void> => {
    for (const { urls } of machines) {
      for (const url of urls) for (const path of PATHS) posts.push(post(url, path, `refused ${posts.length}`));
    }
    // Each of them waits for its answer: more of them at a time try nothing else.
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
  };
  await eventually(
    postEverywhere,
    () =>
      machines.every(({ program }) =>
        /"lost":true,"msg":"this machine runs the account no longer"/.test(program.output()),
      ),
    () => "the machines to end what they run",
    PATIENCE_MS,
  );
  return (await Promise.all(posts)).map((answer) => (typeof answer === "string" ? answer : refusalIn(answer)));
}

const refusalIn = ({ status, headers }: Answer): string =>
  /^\d+$/.test(headers["retry-after"] ?? "") ? `${status} with Retry-After` : `${status}`;

/** The texts that account two gets, once a post is accepted again. */
async function textsAfterwards(machines: readonly ApiMachine[]): Promise<readonly string[]> {
  const [one = "", two = ""] = machines[0]?.urls ?? [];
  await eventually(
    () => post(one, "/api/message", "accepted"),
    (answer) => typeof answer !== "string" && answer.status === 200,
    () => "a post to be accepted",
    PATIENCE_MS,
  );
  return await eventually(
    // No machine may run that account yet.
    () => new ApiClient(two).texts().catch(() => []),
    (texts) => texts.length > 0,
    () => "the post at the other account",
  );
}

needs(["nats-server"], () => {
  test("without a majority of the servers each post gets 503 with Retry-After, and is never stored", async () => {
    const nats = await onStage(startNats(3));
    const machines = await three(nats);
    const nc = await connectNats({ servers: nats.servers, node: "test", auth: null, tls: null });
    const { jsm, name } = await openStream(nc, "0", 3);
    const leader = (await jsm.streams.info(name)).cluster?.leader ?? "";
    await nc.close();
    // A leader that is left would keep what it is given, and the outcome of the post would be unknown.
    const survivor = nats.nodes.findIndex((_, at) => `n${at}` !== leader);
    const killed = nats.nodes.filter((_, at) => at !== survivor);
    for (const node of killed) node.signal("SIGKILL");
    await until(machines, ({ hasVoice }) => !hasVoice, "the machine to miss the servers");
    const answers = await postUntilEnded(machines);
    expect([...new Set(answers)]).toEqual(["503 with Retry-After"]);
    await Promise.all(killed.map((node) => node.start()));
    expect((await textsAfterwards(machines)).filter((text) => text !== "accepted")).toEqual([]);
  });

  test("at a machine that is cut off from the servers each post gets 503 with Retry-After", async () => {
    const nats = await onStage(startNats(3));
    const proxy = await onStage(startProxy(nats.nodes[0]?.port ?? 0));
    const machines = await three(nats, [`127.0.0.1:${proxy.port}`]);
    const [first] = machines;
    if (first === undefined) throw new Error("there is no machine");
    proxy.shut();
    proxy.cut();
    await until([first], ({ hasVoice }) => !hasVoice, "the machine to miss the servers");
    const answers = await postUntilEnded([first]);
    expect([...new Set(answers)]).toEqual(["503 with Retry-After"]);
    proxy.open();
    expect((await textsAfterwards(machines)).filter((text) => text !== "accepted")).toEqual([]);
  });
});
