import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";
import type { ChannelRef, Cursor, OpId, Progress } from "../../contract/ids.ts";
import type { PostDraft, PostOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Session } from "../../contract/session.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { plainBody } from "../../../test/contract/texts.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Inbox } from "../../../test/support/wait.ts";
import { open } from "./session.ts";
import { ircSettings } from "./settings.suite.ts";
import type { IrcSettings } from "./settings.ts";

/** The server's side of one connection: a test says line by line what the server does. */
export class Peer {
  readonly #socket: net.Socket;
  readonly #lines = new Inbox<string>();
  readonly #over = Promise.withResolvers<string>();

  constructor(socket: net.Socket) {
    this.#socket = socket;
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => {
      const lines = `${rest}${part}`.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#lines.push(line);
    });
    socket.on("error", () => {});
    socket.on("close", () => this.#over.resolve("the client closed the connection"));
  }

  /** The next line of the client. */
  async next(): Promise<string> {
    return await this.#lines.next(() => "a line of the client", this.#over.promise);
  }

  /** The next line of the client that matches; the ones before it are passed over. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const line = await this.#lines.next(() => `a line like ${String(pattern)}`, this.#over.promise);
      if (pattern.test(line)) return line;
    }
  }

  /** What the client has sent and no test has looked at. */
  get waiting(): readonly string[] {
    return this.#lines.waiting;
  }

  get over(): Promise<string> {
    return this.#over.promise;
  }

  send(...lines: readonly string[]): void {
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(""));
  }

  /** The answer to a PING, given as the line that asked. */
  pong(ping: string): void {
    this.send(`:irc.test PONG irc.test :${ping.slice("PING ".length)}`);
  }

  end(): void {
    this.#socket.end();
  }

  /** Lets somebody in, who has sent nothing yet; up to and with the message of the day. */
  async welcome({ caps = "", isupport = "CASEMAPPING=ascii" }: { caps?: string; isupport?: string } = {}) {
    await this.until(/^USER /);
    this.send(`:irc.test CAP * LS :${caps}`);
    if (caps !== "") {
      const request = await this.until(/^CAP REQ /);
      this.send(`:irc.test CAP * ACK :${request.replace(/^CAP REQ :?/, "")}`);
    }
    await this.until(/^CAP END$/);
    this.send(
      ":irc.test 001 rialto :Welcome rialto!~rialto@client.test",
      `:irc.test 005 rialto ${isupport} :are supported by this server`,
      ":irc.test 376 rialto :End of /MOTD command.",
    );
    await this.until(/^USERHOST /);
  }

  /** Lets the client into the channel that it asks for next, with these people. */
  async enter(channel: string, people = "rialto"): Promise<void> {
    await this.until(/^JOIN /);
    this.send(
      `:rialto!~rialto@client.test JOIN ${channel}`,
      `:irc.test 353 rialto = ${channel} :${people}`,
      `:irc.test 366 rialto ${channel} :End of /NAMES list.`,
    );
  }
}

/** A server on loopback that does what the test says; ends with the test. */
export async function scriptedServer(): Promise<{ readonly port: number; readonly client: () => Promise<Peer> }> {
  const clients = new Inbox<Peer>();
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    clients.push(new Peer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const never = new Promise<string>(() => {});
  return {
    port: (server.address() as net.AddressInfo).port,
    client: async () => await clients.next(() => "a client", never),
  };
}

/** Starts to open a session to a server that the test plays. */
export async function opening(given: Partial<IrcSettings> = {}, since: Cursor | null = null) {
  const { port, client } = await scriptedServer();
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const giveUp = new AbortController();
  const settings = ircSettings({ Server: `127.0.0.1:${port}`, ...given });
  const begin = async () => {
    const opened = open({ settings, host, since, signal: giveUp.signal });
    return { opened, peer: await client() };
  };
  return { ...(await begin()), clock, host, giveUp, again: begin };
}

/** A session that is in. */
export async function session(options: {
  readonly caps?: string;
  readonly isupport?: string;
  readonly settings?: Partial<IrcSettings>;
  /** It is in these channels. */
  readonly channels?: readonly string[];
  readonly since?: Cursor;
}) {
  const { peer, clock, host, opened } = await opening(options.settings, options.since);
  await peer.welcome(options);
  const result = await opened;
  if (!result.ok) throw new Error(`no session: ${result.ended.why.message}`);
  for (const name of options.channels ?? []) {
    const joined = result.session.join({ name, options: {} }, new AbortController().signal);
    await peer.enter(name);
    await joined;
  }
  return { peer, clock, host, session: result.session };
}

let ops = 0;

/** Posts a text that Rialto itself says. */
export function post(
  to: Pick<Session, "handlers">,
  text: string,
  {
    channel = "#a",
    attempt = new RecordingAttempt(),
    resume = null as Progress | null,
    ...more
  }: { channel?: string; attempt?: RecordingAttempt; resume?: Progress | null } & Partial<
    PostDraft & Pick<PostOp, "id">
  > = {},
): { readonly attempt: RecordingAttempt; readonly outcome: Promise<Outcome> } {
  ops += 1;
  const op: PostOp = {
    kind: "post",
    id: `op-${ops}` as OpId,
    channel: channel as ChannelRef,
    attempt: 1,
    author: null,
    body: plainBody(text),
    reply: null,
    thread: null,
    mayPing: { users: true, everyone: false },
    resume,
    ...more,
  };
  return { attempt, outcome: to.handlers.post(op, attempt) };
}
