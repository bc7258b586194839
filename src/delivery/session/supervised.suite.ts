import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import type { Account } from "../../config/config.ts";
import type { Posted } from "../../contract/events.ts";
import type { Hint, Host } from "../../contract/host.ts";
import type { UserRef } from "../../contract/ids.ts";
import { compileInbound } from "../../gateway/inbound.ts";
import { compileNormalizer } from "../../gateway/normalize.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../../gateway/samples.suite.ts";
import { Intake } from "../intake.ts";
import { RemoteFiles } from "../remote-files.ts";
import { HealthReporter } from "../health-reporter.ts";
import type { JoinChannel } from "./channel.ts";
import { type MemoryLane, MemoryLogger, refOf, ScriptedNetwork } from "../scripted.suite.ts";
import { MemoryFiles } from "../stage.suite.ts";
import type { AccountStatus, ChannelStatus } from "../status.ts";
import { Supervisor } from "./supervisor.ts";

export const MINUTE = 60_000;

/** One account on a scripted network, with channels that tests change. */
export class Supervised {
  readonly clock = new FakeClock();
  readonly memory = new MemoryLogger();
  readonly network = new ScriptedNetwork();
  readonly reconnected: string[] = [];
  /** What chance gives. */
  chance = 0.5;
  readonly intake: Intake;
  readonly supervisor: Supervisor;

  /** The gateway routes all of `#a` to `#d`, whatever is joined. */
  constructor(
    channels: readonly JoinChannel[] | null = null,
    down: Account["down"] = null,
    hinted: (channel: string, hint: Hint) => void = () => undefined,
    paused = false,
  ) {
    const { clock, memory } = this;
    const account = { ...anAccount("net.Here"), settings: {}, down };
    const names = ["#a", "#b", "#c", "#d"];
    const gateways = names.map((name) => aGateway(`g${name}`, [`inout net.here ${name}`, "out net.there #x"]));
    const shared = { account, logger: memory.logger, clock, random: () => this.chance };
    this.intake = new Intake({
      ...shared,
      normalizer: compileNormalizer(account, compileInbound(account)),
      routes: compileRoutes(aConfig(gateways, [account])),
      cursor: null,
      log: {
        ids: { find: () => Promise.resolve(null) },
        append: ({ entries }) => Promise.resolve({ is: "stored", seqs: entries.map((_, index) => index) }),
      },
    });
    this.supervisor = new Supervisor({
      ...shared,
      adapter: this.network.adapter,
      channels: channels ?? [this.channel("#a")],
      intake: this.intake,
      files: new MemoryFiles(),
      remoteFiles: new RemoteFiles(),
      hinted,
      paused,
      meter: { reconnected: (name) => void this.reconnected.push(name) },
    });
  }

  channel(
    name: string,
    lanes: readonly MemoryLane[] = [],
    options: Readonly<Record<string, string>> = {},
  ): JoinChannel {
    const report = new HealthReporter(this.memory.logger, {}, () => this.clock.nowMs());
    return { request: { name, options }, lanes, report };
  }

  get host(): Host {
    const open = this.network.opens.at(-1);
    if (open === undefined) throw new Error("no session was opened");
    return open.host;
  }

  async start(): Promise<void> {
    this.supervisor.start();
    await settled();
  }

  async change(...channels: readonly JoinChannel[]): Promise<void> {
    this.supervisor.change(channels);
    await settled();
  }

  async status(): Promise<Omit<AccountStatus, "delivered">> {
    return await this.supervisor.status();
  }

  async channelStatus(name = "#a"): Promise<ChannelStatus> {
    const found = (await this.status()).channels.find(({ channel }) => channel === name);
    if (found === undefined) throw new Error(`there is no status of ${name}`);
    return found;
  }

  /** Somebody says something; how that was answered. */
  async say(name: string): Promise<string | undefined> {
    const answers = await this.host.accept({ events: [saidIn(name)], cursor: null });
    return answers[0];
  }
}

function saidIn(name: string): Posted {
  return {
    kind: "posted",
    key: null,
    channel: refOf(name),
    atMs: 0,
    echoOf: null,
    messages: [],
    author: { id: "u" as UserRef, name: "bob", identity: null, avatar: null },
    body: { style: "normal", source: { format: "plain", text: "hi" }, files: [] },
    replyTo: null,
    thread: null,
  };
}
