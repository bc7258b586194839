import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { freePorts } from "../../support/ports.ts";
import { eventually } from "../../support/wait.ts";
import { type Certificate, makeCertificate } from "../certificate.ts";
import { Child } from "../child.ts";

export interface IrcServerOptions {
  /** Listens for TLS on a second port, with a certificate of its own making. */
  readonly tls?: boolean;
  /** What a client must give with PASS. */
  readonly password?: string;
  /**
   * Slows down or throws out who sends too fast, as the server does when nobody changes its settings; `strict` throws
   * out at once.
   */
  readonly floodControl?: boolean | "strict";
}

/** A real server on loopback, on ports of its own. */
export interface IrcServer {
  readonly name: string;
  readonly port: number;
  /** 0 without TLS. */
  readonly tlsPort: number;
  readonly certificate: Certificate | null;
  /** SIGSTOP: the kernel goes on taking connections and bytes for it, but it answers nothing. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** SIGKILL; resolves when it is dead. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same ports, after `kill` or instead of what runs; resolves when it answers. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes its folder. */
  readonly stop: () => Promise<void>;
  /** What it printed, over all its lives. */
  readonly log: () => string;
}

/** What a launcher knows about its server. */
export interface Recipe {
  readonly name: string;
  readonly configuration: (site: Site) => string;
  readonly command: (configurationFile: string, site: Site) => readonly [string, ...string[]];
  /** Runs as this user and group instead of root; its folder belongs to them. */
  readonly owner?: number;
}

export interface Site {
  /** Scratch folder. */
  readonly folder: string;
  readonly port: number;
  /** 0 without TLS. */
  readonly tlsPort: number;
  readonly certificate: Certificate | null;
  readonly options: IrcServerOptions;
}

/** Starts a server in a scratch folder of its own; resolves when it answers. Rejects with what it printed. */
export async function startIrcServer(recipe: Recipe, options: IrcServerOptions): Promise<IrcServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `rialto-${recipe.name}-`));
  const [port = 0, tlsPort = 0] = await freePorts(2);
  const certificate = options.tls === true ? await makeCertificate(folder, "server") : null;
  const site: Site = { folder, port, tlsPort: certificate === null ? 0 : tlsPort, certificate, options };
  const file = path.join(folder, "server.conf");
  await writeFile(file, recipe.configuration(site));
  if (recipe.owner !== undefined && process.getuid?.() === 0) {
    const owned = [folder, file, ...(certificate === null ? [] : [certificate.certificate, certificate.key])];
    for (const each of owned) await chown(each, recipe.owner, recipe.owner);
  }
  const lives: Child[] = [];
  const start = async (): Promise<void> => {
    const child = new Child({ command: recipe.command(file, site), cwd: folder });
    lives.push(child);
    const up = async (): Promise<boolean> => child.over || (await answers(port));
    await eventually(up, Boolean, () => `${recipe.name} to answer; it printed:\n${child.output}`);
    if (child.over) throw new Error(`${recipe.name} did not start; it printed:\n${child.output}`);
  };
  const last = (): Child | undefined => lives.at(-1);
  const stop = async (): Promise<void> => {
    await last()?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name: recipe.name,
    port,
    tlsPort: site.tlsPort,
    certificate,
    pause: () => last()?.signal("SIGSTOP"),
    resume: () => last()?.signal("SIGCONT"),
    kill: async () => void (await last()?.kill9()),
    restart: async () => {
      await last()?.kill9();
      await start();
    },
    stop,
    log: () => lives.map((life) => life.output).join("--- started again\n"),
  };
}

/** Whether somebody who knocks on this port gets any answer: then the server has read, and written. */
async function answers(port: number): Promise<boolean> {
  const done = Promise.withResolvers<boolean>();
  const socket = net.connect({ host: "127.0.0.1", port });
  socket.setTimeout(3_000, () => done.resolve(false));
  socket.on("error", () => done.resolve(false));
  socket.on("close", () => done.resolve(false));
  socket.on("data", () => done.resolve(true));
  socket.write("PING knock\r\n");
  const well = await done.promise;
  socket.destroy();
  return well;
}
