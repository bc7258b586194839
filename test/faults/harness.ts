import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { RealNetwork } from "../crossing/place.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { SERVER_NAME, startSynapse } from "../servers/matrix/synapse.ts";
import { NioPeople } from "../servers/people/nio.ts";
import { type Proxy, startProxy } from "../servers/proxy.ts";
import { startProsody } from "../servers/xmpp/prosody.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { ApiVoice, ircVoice, matrixVoice, type Voice, xmppVoice } from "./folk.ts";

export const GATEWAY = "square";
export const IRC_CHANNEL = "#square";
const ROOM = "square@conference.localhost";
const PASSWORD = "open-sesame";
const PRELOAD = pathToFileURL(path.join(import.meta.dirname, "clock-preload.ts")).href;

/** The networks that have a server and a wire to it. */
export const REMOTE = ["irc", "xmpp", "matrix"] as const;
export type Remote = (typeof REMOTE)[number];

/** Something that can be stopped and go on. */
interface Pausable {
  readonly pause: () => void;
  readonly resume: () => void;
}

/**
 * A real server of each network with somebody in its room, proxies before them, and Rialto in the middle, in one life
 * after the other.
 */
export class FaultHarness {
  readonly voices: Readonly<Record<RealNetwork, Voice>>;
  readonly api: ApiVoice;
  readonly servers: Readonly<Record<Remote, Pausable>>;
  readonly proxies: Readonly<Record<Remote, Proxy>>;
  /** Where the data is now. */
  dataPath: string;
  /** What lives printed that ended although nobody had ended them. */
  readonly crashes: string[] = [];
  readonly #config: string;
  readonly #clock: string;
  readonly #kept: Kept;
  #rialto: Rialto | null = null;
  #wanted = false;

  constructor(town: Town, kept: Kept) {
    this.api = new ApiVoice(
      () => this.rialto.client("writer"),
      () => this.rialto.client("reader"),
      GATEWAY,
    );
    this.voices = { ...town.people, api: this.api };
    this.servers = town.servers;
    this.proxies = town.proxies;
    this.dataPath = path.join(town.folder, "data");
    this.#clock = path.join(town.folder, "clock");
    this.#kept = kept;
    this.#config = configuration(town.proxies);
  }

  get rialto(): Rialto {
    if (this.#rialto === null) throw new Error("Rialto has not been started");
    return this.#rialto;
  }

  async start(): Promise<void> {
    const rialto = await startRialto({
      config: this.#config,
      dataPath: this.dataPath,
      env: { NODE_OPTIONS: `--import=${PRELOAD}`, FAULTS_CLOCK: this.#clock },
    });
    const before = this.#rialto;
    this.#rialto = rialto;
    this.#wanted = true;
    await before?.dispose();
    void rialto.exited.then(({ code, signal }) => {
      if (this.#wanted && this.#rialto === rialto)
        this.crashes.push(`ended with ${code ?? signal}:\n${rialto.output().slice(-4_000)}`);
    });
  }

  async kill(): Promise<void> {
    this.#wanted = false;
    await this.rialto.kill9();
  }

  async halt(): Promise<void> {
    this.#wanted = false;
    await this.rialto.stop();
  }

  /** Stops Rialto, brings its data elsewhere, and starts it there. */
  async move(dataPath: string): Promise<void> {
    await this.halt();
    await cp(this.dataPath, dataPath, { recursive: true });
    await rm(this.dataPath, { recursive: true });
    this.dataPath = dataPath;
    await this.start();
  }

  /** Sets the program's calendar so many ms off. */
  async setClock(shift: number): Promise<void> {
    await writeFile(this.#clock, String(shift));
  }

  async end(): Promise<void> {
    this.#wanted = false;
    await this.api.quit();
    await this.#rialto?.dispose();
    await this.#kept.end();
  }
}

/** What is to be ended, the newest first. */
export class Kept {
  readonly #ends: (() => Promise<unknown>)[] = [];

  async keep<T>(starting: Promise<T>, end: (started: T) => Promise<unknown>): Promise<T> {
    const started = await starting;
    this.#ends.unshift(async () => await end(started));
    return started;
  }

  async end(): Promise<void> {
    for (const one of this.#ends.splice(0)) await one();
  }
}

/** A real server of each network with somebody in its room, and proxies before them. */
export interface Town {
  readonly people: Readonly<Record<Remote, Voice>>;
  readonly servers: Readonly<Record<Remote, Pausable>>;
  readonly proxies: Readonly<Record<Remote, Proxy>>;
  /** Scratch. */
  readonly folder: string;
}

/** Resolves with everybody in their rooms. */
export async function openTown(kept: Kept): Promise<Town> {
  const folder = await kept.keep(mkdtemp(path.join(os.tmpdir(), "rialto-faults-")), async (made) => {
    await rm(made, { recursive: true, force: true });
  });
  const stopping = async (server: { readonly stop: () => Promise<void> }): Promise<void> => await server.stop();
  const irc = await kept.keep(startInspircd(), stopping);
  const xmpp = await kept.keep(startProsody(), stopping);
  const matrix = await kept.keep(startSynapse({ forgetful: true }), stopping);
  const proxies = {
    irc: await kept.keep(startProxy(irc.port), stopping),
    xmpp: await kept.keep(startProxy(xmpp.port), stopping),
    matrix: await kept.keep(startProxy(matrix.port), stopping),
  };
  const nio = await kept.keep(Promise.resolve(new NioPeople(matrix.url)), stopping);
  const quitting = async (voice: Voice): Promise<void> => await voice.quit();
  const people = {
    irc: await kept.keep(ircVoice(irc.port, IRC_CHANNEL), quitting),
    xmpp: await kept.keep(xmppVoice(xmpp, ROOM, PASSWORD), quitting),
    matrix: await kept.keep(matrixVoice(nio, "square"), quitting),
  };
  await xmpp.register("rialto", PASSWORD);
  const account = await nio.person("rialto", { deaf: true, password: PASSWORD });
  await nio.quit(account.id);
  return { people, servers: { irc, xmpp, matrix }, proxies, folder };
}

/** Resolves with everybody in their rooms, and Rialto not started yet. */
export async function buildHarness(): Promise<FaultHarness> {
  const kept = new Kept();
  try {
    const town = await openTown(kept);
    await writeFile(path.join(town.folder, "clock"), "0");
    return new FaultHarness(town, kept);
  } catch (error) {
    await kept.end();
    throw error;
  }
}

/** `general`: more lines of that section. */
export function configuration({ irc, xmpp, matrix }: Town["proxies"], general = ""): string {
  const bridges = [
    ["irc.net", IRC_CHANNEL],
    ["xmpp.net", "square"],
    ["matrix.net", `#square:${SERVER_NAME}`],
    ["api.writer", "api"],
    ["api.reader", "api"],
  ].map(([account, channel]) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`);
  return `[general]
RemoteNickFormat = "<{NICK}> "
${general}
[irc.net]
Server = "127.0.0.1:${irc.port}"
Nick = "rialto"
MessageDelay = 0
[xmpp.net]
Server = "127.0.0.1:${xmpp.port}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
[matrix.net]
Server = "http://127.0.0.1:${matrix.port}"
Login = "rialto"
Password = "${PASSWORD}"
[api.writer]
Buffer = 100000
[api.reader]
Buffer = 100000
[[gateway]]
name = "${GATEWAY}"
enable = true
${bridges.join("\n")}
`;
}
