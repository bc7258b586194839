import { afterAll, beforeAll } from "vitest";
import { describeAdapter, type Group } from "../../../test/contract/describe-adapter.ts";
import type { Fixture, Harness } from "../../../test/contract/fixture.ts";
import { needs } from "../../../test/servers/installed.ts";
import { SERVER_NAME, startSynapse, type Synapse } from "../../../test/servers/matrix/synapse.ts";
import { NioGuest, type Town } from "../../../test/servers/people/nio-guest.ts";
import { NioPeople, type NioPerson } from "../../../test/servers/people/nio.ts";
import { startProxy } from "../../../test/servers/proxy.ts";
import { adapter } from "./index.ts";
import { registrationCommand } from "./registration.ts";
import { matrixSettings } from "./settings.suite.ts";
import type { MatrixSettings } from "./settings.ts";

const PASSWORD = "open-sesame";
const WRONG = "open-barley";
const AS_TOKEN = "as-token-of-a-test";
/** Longer than Synapse needs to pass on what it has. */
const SETTLE_MS = 300;

/** Synapse takes its time to start on a busy machine. */
const START_MS = 120_000;

/** Names that no other case has. */
let cases = 0;
let people = 0;
const freshName = (): string => `guest${(people += 1)}`;

export type Mode = "login" | "appservice";

/**
 * As an application service other users speak; what comes from people is read by the same code of the same user's
 * /sync, which also sets topics, lists members and rooms, and hears who types.
 */
const LEFT_OUT: Readonly<Record<Mode, readonly Group[]>> = {
  login: [],
  appservice: ["receiving", "what people do", "history", "topics", "what is only true now"],
};

interface Servers {
  readonly synapse: Synapse;
  readonly people: NioPeople;
  /** Makes the rooms, and is in all of them. */
  readonly warden: NioPerson;
  readonly shut: string;
}

const APPSERVICE: Partial<MatrixSettings> = {
  ASToken: AS_TOKEN,
  HSToken: "hs-token-of-a-test",
  Login: "rialto",
  MxID: `@rialto:${SERVER_NAME}`,
};

async function startServers(mode: Mode): Promise<Servers> {
  const registration = registrationCommand.run(matrixSettings({ Server: "http://127.0.0.1", ...APPSERVICE }), {
    name: "test",
    random: () => "",
  });
  const synapse = await startSynapse({
    forgetful: true,
    ...(mode === "appservice" && { registration: registration.output }),
  });
  const nio = new NioPeople(synapse.url);
  const warden = await nio.person("warden", { deaf: true });
  await warden.ask("create", { alias: "shut", private: true });
  return { synapse, people: nio, warden, shut: `#shut:${SERVER_NAME}` };
}

async function harness({ synapse, people: nio, warden, shut }: Servers, mode: Mode): Promise<Harness> {
  cases += 1;
  const proxy = await startProxy(synapse.port);
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const user = `rialto${cases}`;
  if (mode === "login") await (await nio.person(user, { password: PASSWORD, deaf: true })).ask("quit");
  const own: Partial<MatrixSettings> = mode === "login" ? { Login: user, Password: PASSWORD } : APPSERVICE;
  const settings = matrixSettings({ Server: at(proxy.port), ...own });
  const aliases = [`one-${cases}`, `two-${cases}`] as const;
  const rooms = [`#${aliases[0]}:${SERVER_NAME}`, `#${aliases[1]}:${SERVER_NAME}`] as const;
  const ids = await Promise.all(aliases.map(async (alias) => String(await warden.ask("create", { alias }))));
  const crowned = new Set<string>();
  const town: Town = {
    rooms: new Map(rooms.map((name, at) => [name, ids[at] ?? ""])),
    people: new Map(),
    freshName,
    crown: async (room, guest) => {
      if (crowned.has(room)) return;
      crowned.add(room);
      await warden.ask("state", {
        room,
        type: "m.room.power_levels",
        content: { users: { [warden.id]: 100, [guest]: 90 }, events: { "m.room.topic": 0 } },
      });
    },
  };
  return {
    settings,
    wrong: {
      auth: { ...settings, Password: WRONG, ASToken: mode === "login" ? "" : WRONG },
      config: { ...settings, Server: "not a URL" },
      // Port 1 (tcpmux): nothing is listening there.
      unreachable: { ...settings, Server: at(1) },
    },
    channels: [
      { name: rooms[0], options: {} },
      { name: rooms[1], options: {} },
    ],
    refused: { name: shut, options: {} },
    secrets: [WRONG, PASSWORD, AS_TOKEN],
    burst: 40,
    patienceMs: 30_000,
    person: async () => {
      const name = freshName();
      return new NioGuest(await nio.person(name), name, town);
    },
    cut: () => {
      proxy.cut();
      return Promise.resolve();
    },
    stall: () => {
      proxy.stall();
      return Promise.resolve(() => {
        proxy.flow();
        return Promise.resolve();
      });
    },
    settle: async () => await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
    dispose: async () => {
      await Promise.all([...new Set(town.people.values())].map(async (id) => await nio.quit(id)));
      await proxy.stop();
    },
  };
}

/** The shared suite against a real homeserver, which is started by the first case and stopped after the last one. */
export function contractAs(mode: Mode): void {
  let servers: Promise<Servers> | null = null;
  const fixture: Fixture = {
    adapter,
    features: new Set([
      ...(["auth", "config", "unreachable", "refused", "kick", "leave", "stall"] as const),
      ...(["edit", "erase", "react", "reply", "thread", "file", "notified", "fetch", "setTopic"] as const),
      ...(["members", "rooms", "typing", "showsTyping"] as const),
    ]),
    start: async () => {
      if (servers === null) throw new Error("the servers were not started");
      return await harness(await servers, mode);
    },
  };
  afterAll(async () => {
    if (servers === null) return;
    const { synapse, people: nio } = await servers;
    await nio.stop();
    await synapse.stop();
  });
  needs(["synapse", "python3-matrix-nio"], () => {
    beforeAll(async () => {
      servers = startServers(mode);
      await servers;
    }, START_MS);
    describeAdapter(`Matrix on Synapse, by ${mode}`, fixture, LEFT_OUT[mode]);
  });
}
