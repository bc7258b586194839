import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { addBot } from "../servers/discord/people.ts";
import { FakeDiscord } from "../servers/discord/server.ts";

/** Servers that say back, in as many ways as they can, whatever they are told in confidence. */
export interface EchoServer {
  readonly port: number;
  /** All that came, as it came. */
  readonly heard: () => string;
}

/** What an error, a notice or a page may make of a secret. */
function echoes(secret: string): string {
  const html = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    html,
    Buffer.from(secret).toString("base64"),
  ].join(" ");
}

/**
 * An IRC server that refuses the nick `refused`, lets all others in, and repeats passwords, logins, commands and keys.
 */
export async function echoingIrc(): Promise<EchoServer> {
  return await lineServer((line, say, hangUp) => {
    const [command = "", first = "", ...rest] = line.split(" ");
    const last = line.slice(line.indexOf(" :") + 2);
    switch (command) {
      case "CAP":
        if (first === "LS") say(":irc.test CAP * LS :sasl=PLAIN");
        if (first === "REQ") say(`:irc.test CAP * ACK :${last}`);
        return;
      case "PASS":
        return say(`:irc.test NOTICE * :echo-pass ${line}`);
      case "NICK":
        if (first.startsWith("refused")) return say(`ERROR :echo-refused ${echoes(REFUSED_PASSWORD)}`);
        return;
      case "AUTHENTICATE":
        if (first === "PLAIN") return say("AUTHENTICATE +");
        say(
          `:irc.test NOTICE * :echo-sasl ${first} ${Buffer.from(first, "base64").toString("utf8").split("\0").join(" ")}`,
        );
        return say(`:irc.test 904 * :echo-sasl ${first}`);
      case "USER":
        return say(
          ":irc.test 001 rialto :Welcome rialto!~r@h",
          ":irc.test 005 rialto CASEMAPPING=ascii :are supported",
          ":irc.test 376 rialto :End of MOTD",
        );
      case "PING":
        return say(`:irc.test PONG irc.test ${first}`);
      case "JOIN":
        return say(`:irc.test 475 rialto ${first} :echo-key ${echoes(rest.join(" "))}`);
      case "QUIT":
        return hangUp();
      case "PRIVMSG":
        return say(
          ":irc.test 900 rialto rialto!~r@h acc :You are now logged in",
          `:NickServ!n@services NOTICE rialto :echo-nickserv ${last}`,
        );
      default:
        return say(`:irc.test 421 rialto ${command} :echo-command ${line}`);
    }
  });
}

/** The server that refuses `refused` does not wait for its password to repeat it. */
export const REFUSED_PASSWORD = `ref"used&<1>`;

/** A homeserver that answers every request with an error that holds the token and the body. */
export async function echoingMatrix(): Promise<EchoServer> {
  let heard = "";
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      const token = (request.headers.authorization ?? "").replace(/^Bearer /u, "");
      heard += `${token}\n${body}\n`;
      if (request.url?.endsWith("/versions") === true) {
        response.writeHead(200, { "Content-Type": "application/json" });
        return response.end(JSON.stringify({ versions: ["v1.11"] }));
      }
      const password = /"password":("(?:[^"\\]|\\.)*")/u.exec(body)?.[1];
      const secret = password === undefined ? token : (JSON.parse(password) as string);
      response.writeHead(403, { "Content-Type": "application/json" });
      return response.end(JSON.stringify({ errcode: "M_BAD_JSON", error: `echo-matrix ${echoes(secret)}` }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

/** A Mattermost server that refuses every login, and repeats tokens and passwords. */
export async function echoingMattermost(): Promise<EchoServer> {
  let heard = "";
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      const token = (request.headers.authorization ?? "").replace(/^Bearer /u, "");
      heard += `${token}\n${body}\n`;
      const password = /"password":("(?:[^"\\]|\\.)*")/u.exec(body)?.[1];
      const secret = password === undefined ? token : (JSON.parse(password) as string);
      response.writeHead(400, { "Content-Type": "application/json" });
      const error = { id: "api.refused", message: `echo-mattermost ${echoes(secret)}`, status_code: 400 };
      return response.end(JSON.stringify(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

/** A Discord that lets the bot with this token in, and refuses webhooks in words that hold it and their address. */
export async function echoingDiscord(token: string): Promise<EchoServer> {
  const discord = await FakeDiscord.start();
  onTestFinished(async () => await discord.stop());
  const { world } = discord;
  const guild = world.addGuild("Town", world.addUser("mayor"));
  world.addChannel(guild, "a");
  const app = { ...world.addApp("rialto"), token };
  world.apps.set(app.user.id, app);
  addBot(discord, guild, app);
  for (const [path, status] of [
    ["/webhooks/1234567890123456/", 404],
    ["/webhooks/", 400],
  ] as const) {
    const answer = {
      status,
      get json() {
        // What is quoted of it is no longer than this.
        const [asked = ""] = discord.requests
          .filter((request) => request.includes("/webhooks/"))
          .map(encodeURIComponent);
        return { code: 0, message: `echo-discord ${token} ${asked} ${Buffer.from(token).toString("base64")}` };
      },
    };
    discord.faults.answer({ path }, answer, Infinity);
  }
  return { port: discord.wire.port, heard: () => discord.requests.join("\n") };
}

/** A Slack that lets the bot in, but for that of `/refused/`; it connects no app, and repeats tokens. */
export async function echoingSlack(): Promise<EchoServer> {
  let heard = "";
  const server = http.createServer((request, response) => {
    const token = (request.headers.authorization ?? "").replace(/^Bearer /u, "");
    heard += `${token}\n`;
    request.resume();
    const isIn = request.url === "/api/auth.test";
    const refusal = { ok: false, error: "echo-slack", response_metadata: { messages: [echoes(token)] } };
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isIn ? { ok: true, user_id: "U1", team_id: "T1", user: "rialto" } : refusal));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

/** A Bot API that lets bots in, but for those of `/refused/`, tells nothing, and repeats tokens. */
export async function echoingTelegram(): Promise<EchoServer> {
  let heard = "";
  const server = http.createServer((request, response) => {
    const [, path = "", token = "", method = ""] = /^\/(\w+)\/bot([^/]*)\/(\w+)/u.exec(request.url ?? "") ?? [];
    heard += `${decodeURIComponent(token)}\n`;
    request.resume();
    const results: Readonly<Record<string, object>> = {
      getMe: { id: 1, is_bot: true, first_name: "Rialto", username: "rialto_bot" },
      getWebhookInfo: { url: "" },
    };
    const result = path === "refused" ? undefined : results[method];
    const status = result !== undefined ? 200 : path === "refused" ? 401 : 400;
    const description = `echo-telegram ${echoes(decodeURIComponent(token))}`;
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify(result === undefined ? { ok: false, error_code: status, description } : { ok: true, result }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

/**
 * An XMPP server that refuses the user `refused`, lets all others in, and repeats passwords and the passwords of rooms.
 */
export async function echoingXmpp(): Promise<EchoServer> {
  const features = {
    login: "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>",
    bind: "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>",
  };
  const text = (value: string): string => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return await server((socket, onText) => {
    let isIn = false;
    let rest = "";
    onText((part) => {
      rest += part;
      for (;;) {
        const stanza =
          /<stream:stream[^>]*>|<auth[^>]*>[^<]*<\/auth>|<iq[\s\S]*?<\/iq>|<presence[\s\S]*?(?:<\/presence>|\/>)/u.exec(
            rest,
          );
        if (stanza === null) return;
        rest = rest.slice(stanza.index + stanza[0].length);
        const [whole] = stanza;
        const attribute = (name: string): string =>
          new RegExp(`\\s${name}=["']([^"']*)["']`, "u").exec(whole)?.[1] ?? "";
        if (whole.startsWith("<stream:stream")) {
          socket.write(
            `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0' id='1' from='test'><stream:features>${isIn ? features.bind : features.login}</stream:features>`,
          );
        } else if (whole.startsWith("<auth")) {
          const login = whole.replaceAll(/<[^>]*>/gu, "");
          const [, user = "", password = ""] = Buffer.from(login, "base64").toString("utf8").split("\0");
          isIn = user !== "refused";
          if (isIn) socket.write("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>");
          else
            socket.write(
              `<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/><text>echo-xmpp ${text(echoes(password))} ${login}</text></failure>`,
            );
        } else if (whole.startsWith("<iq")) {
          const isBind = whole.includes("xmpp-bind");
          const body = isBind ? "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>rialto@test/r</jid></bind>" : "";
          socket.write(`<iq type='result' id='${attribute("id")}' from='${attribute("to") || "test"}'>${body}</iq>`);
        } else if (whole.includes("<password>")) {
          const password = /<password>([\s\S]*?)<\/password>/u.exec(whole)?.[1] ?? "";
          socket.write(
            `<presence type='error' from='${attribute("to")}' to='rialto@test/r'><error type='auth'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/><text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>echo-room ${password} ${text(password)}</text></error></presence>`,
          );
        }
      }
    });
  });
}

async function lineServer(
  answer: (line: string, say: (...lines: readonly string[]) => void, hangUp: () => void) => void,
): Promise<EchoServer> {
  return await server((socket, onText) => {
    let rest = "";
    onText((part) => {
      const lines = `${rest}${part}`.split("\r\n");
      rest = lines.pop() ?? "";
      const say = (...said: readonly string[]): void => void socket.write(said.map((each) => `${each}\r\n`).join(""));
      for (const line of lines) answer(line, say, () => void socket.end());
    });
  });
}

async function server(
  serve: (socket: net.Socket, onText: (take: (part: string) => void) => void) => void,
): Promise<EchoServer> {
  let heard = "";
  const sockets = new Set<net.Socket>();
  const listener = net.createServer((socket) => {
    sockets.add(socket);
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    serve(socket, (take) =>
      socket.on("data", (part: string) => {
        heard += part;
        take(part);
      }),
    );
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (listener.address() as AddressInfo).port, heard: () => heard };
}
