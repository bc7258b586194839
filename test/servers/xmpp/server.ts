import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { freePorts } from "../../support/ports.ts";
import { eventually } from "../../support/wait.ts";
import { type Certificate, makeCertificate } from "../certificate.ts";
import { Child } from "../child.ts";

export interface XmppServerOptions {
  /** Offers STARTTLS, and listens for TLS on a second port, with a certificate of its own making. */
  readonly tls?: boolean;
  /** Logs people in by PLAIN and nothing else. */
  readonly plainOnly?: boolean;
  /**
   * New rooms go when they are empty and have no archive: `passing` unless their owner wants otherwise, `fixed` even
   * then. Absent: they stay, with an archive.
   */
  readonly rooms?: "passing" | "fixed";
}

/** A real server on loopback, on ports of its own: users of `localhost`, rooms of `conference.localhost`. */
export interface XmppServer {
  readonly name: string;
  readonly port: number;
  /** 0 without TLS. */
  readonly tlsPort: number;
  /** Makes an account of `localhost`; one that is there already stays as it is. */
  readonly register: (user: string, password: string) => Promise<void>;
  /** SIGSTOP and SIGCONT. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** SIGTERM, so that it writes what it holds; resolves when it is over. */
  readonly halt: () => Promise<void>;
  /** Starts it again on the same ports, with what it had stored; resolves when it answers. */
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
  readonly env?: (configurationFile: string, site: Site) => Readonly<Record<string, string>>;
  /** Its folder belongs to this user and group. */
  readonly owner?: { readonly user: number; readonly group: number };
}

export interface Site {
  /** Scratch folder. */
  readonly folder: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly httpPort: number;
  readonly certificate: Certificate | null;
  readonly options: XmppServerOptions;
}

/** Starts a server in a scratch folder of its own; resolves when it answers. Rejects with what it printed. */
export async function startXmppServer(recipe: Recipe, options: XmppServerOptions): Promise<XmppServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `rialto-${recipe.name}-`));
  const [port = 0, tlsPort = 0, httpPort = 0] = await freePorts(3);
  const certificate = options.tls === true ? await makeCertificate(folder, "localhost") : null;
  const site: Site = { folder, port, tlsPort: certificate === null ? 0 : tlsPort, httpPort, certificate, options };
  const file = path.join(folder, recipe.name === "ejabberd" ? "ejabberd.yml" : "prosody.cfg.lua");
  await writeFile(file, recipe.configuration(site));
  const { owner } = recipe;
  if (owner !== undefined && process.getuid?.() === 0) {
    for (const each of [folder, file]) await chown(each, owner.user, owner.group);
  }
  const lives: Child[] = [];
  const start = async (): Promise<void> => {
    const env = recipe.env?.(file, site) ?? {};
    const child = new Child({ command: recipe.command(file, site), cwd: folder, env });
    lives.push(child);
    for (let tries = 0; tries < 4 && !child.over && !(await answersIn(port)); tries += 1);
    await eventually(
      async () => child.over || (await answers(port)),
      Boolean,
      () => `${recipe.name} to answer; it printed:\n${child.output}`,
    );
    if (child.over) throw new Error(`${recipe.name} did not start; it printed:\n${child.output}`);
  };
  const last = (): Child | undefined => lives.at(-1);
  const stop = async (): Promise<void> => {
    await last()?.kill9();
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
    register: async (user, password) => await register(port, user, password),
    pause: () => last()?.signal("SIGSTOP"),
    resume: () => last()?.signal("SIGCONT"),
    halt: async () => void (await last()?.stop()),
    restart: async () => {
      if (last()?.over !== true) await last()?.stop();
      await start();
    },
    stop,
    log: () => lives.map((life) => life.output).join("--- started again\n"),
  };
}

const OPEN =
  "<?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";

/** An Erlang node takes several seconds to start. */
async function answersIn(port: number): Promise<boolean> {
  return await eventually(
    async () => await answers(port),
    Boolean,
    () => "an answer",
  ).catch(() => false);
}

/** Whether a stream can be opened here. */
async function answers(port: number): Promise<boolean> {
  return await conversation(port, [OPEN], "</stream:features>").then(
    () => true,
    () => false,
  );
}

/** In-band registration (XEP-0077). */
async function register(port: number, user: string, password: string): Promise<void> {
  const form = `<username>${user}</username><password>${password}</password>`;
  const iq = `<iq type='set' id='reg'><query xmlns='jabber:iq:register'>${form}</query></iq>`;
  const answer = await conversation(port, [OPEN, iq], /<iq[^>]*id=['"]reg['"][^>]*>/u);
  if (!answer.includes("result") && !answer.includes("conflict")) {
    throw new Error(`${user} was not registered: ${answer}`);
  }
}

/** Says these things, the next after each answer, and resolves with all that came once it holds `until`. */
async function conversation(port: number, lines: readonly string[], until: string | RegExp): Promise<string> {
  const done = Promise.withResolvers<string>();
  const socket = net.connect({ host: "127.0.0.1", port });
  let all = "";
  let said = 1;
  const fail = (): void => done.reject(new Error(`the server closed the connection; it said: ${all}`));
  socket.setTimeout(3_000, fail);
  socket.on("error", fail);
  socket.on("close", fail);
  socket.on("data", (part) => {
    all += part.toString();
    if (typeof until === "string" ? all.includes(until) : until.test(all)) done.resolve(all);
    else if (said < lines.length && all.includes("</stream:features>")) {
      socket.write(lines[said] ?? "");
      said += 1;
    }
  });
  socket.write(lines[0] ?? "");
  try {
    return await done.promise;
  } finally {
    socket.destroy();
  }
}
