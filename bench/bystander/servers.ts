import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gatewayOf } from "../lib/proc.ts";
import type { Case, ChatServer } from "./case.ts";

const ROOM = "!room:hostile.example";
const NAME = "hostile";

/** A server that floods from the moment on at which the measurement begins. */
interface Flooder {
  readonly server: Server;
  readonly config: string;
  readonly flood: () => void;
}

async function listening({ server, config, flood }: Flooder): Promise<ChatServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { config: config.replace("PORT", String(port)), flood, close };
}

/** Writes the text again and again, as fast as the client reads. */
function pour(socket: Socket | ServerResponse, text: string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on("drain", write);
  write();
}

const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("");

/** `flood`: after the client has joined. `cap`: instead of an answer to `CAP LS`. */
function irc({ flood, cap }: { readonly flood: (socket: Socket) => void; readonly cap?: (socket: Socket) => void }) {
  const joined: Socket[] = [];
  let isFlooding = false;
  const server = createServer((socket) => {
    let nick = "rialto";
    const say = (text: string): void => void socket.write(`:irc.hostile ${text}\r\n`);
    const answer: Readonly<Record<string, (words: readonly string[]) => void>> = {
      CAP: ([verb = ""]) => {
        if (verb === "LS" && isFlooding && cap !== undefined) return cap(socket);
        if (verb === "LS") say("CAP * LS :");
      },
      NICK: ([name = nick]) => (nick = name),
      USER: () => {
        for (const line of ["001", "376"]) say(`${line} ${nick} :-`);
      },
      PING: ([token = ""]) => say(`PONG irc.hostile :${token}`),
      JOIN: ([channel = ""]) => {
        socket.write(`:${nick}!r@h JOIN ${channel}\r\n`);
        say(`366 ${nick} ${channel} :-`);
        joined.push(socket);
        if (isFlooding) flood(socket);
      },
    };
    let rest = "";
    socket.on("data", (data) => {
      const lines = (rest + data.toString("latin1")).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [verb = "", ...words] = line.split(" ");
        answer[verb]?.(words);
      }
    });
  });
  const begin = (): void => {
    isFlooding = true;
    for (const socket of joined) {
      // The client connects again, and negotiates again.
      if (cap !== undefined) socket.destroy();
      else flood(socket);
    }
  };
  const config = `[irc.${NAME}]\nServer = "127.0.0.1:PORT"\nNick = "rialto"\n${gatewayOf(NAME, [`irc.${NAME}`, "#room"], ["api.reader", "api"])}`;
  return async () => await listening({ server, config, flood: begin });
}

/** What a homeserver answers to one request of a flood. */
type Answer = (response: ServerResponse) => void;

const send = (response: ServerResponse, body: object): void => void response.end(JSON.stringify(body));

/** `flood` answers the first `/sync` after the measurement has begun. */
function matrix(flood: Answer) {
  let isFlooding = false;
  let waiting: ServerResponse | null = null;
  let batch = 0;
  const next = (): object => ({ next_batch: `b${(batch += 1)}` });
  const answer = ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
    const path = new URL(url, "http://x").pathname;
    if (path.endsWith("/versions")) return send(response, { versions: ["v1.11"] });
    if (path.endsWith("/whoami")) return send(response, { user_id: "@rialto:hostile.example", device_id: "D" });
    if (path.includes("/join/")) return send(response, { room_id: ROOM });
    if (path.endsWith("/joined_rooms")) return send(response, { joined_rooms: [ROOM] });
    if (path.endsWith("/filter")) return send(response, { filter_id: "1" });
    if (!path.endsWith("/sync")) return send(response, {});
    if (batch === 0) return send(response, { ...next(), rooms: { join: { [ROOM]: { timeline: { events: [] } } } } });
    if (!isFlooding) waiting = response;
    else flood(response);
  };
  const server = createHttpServer(answer);
  const begin = (): void => {
    isFlooding = true;
    if (waiting !== null) flood(waiting);
  };
  const config = `[matrix.${NAME}]\nServer = "http://127.0.0.1:PORT"\nToken = "t"\nMxID = "@rialto:hostile.example"\n${gatewayOf(NAME, [`matrix.${NAME}`, ROOM], ["api.reader", "api"])}`;
  return async () => await listening({ server, config, flood: begin });
}

const member = (index: number): object => ({
  type: "m.room.member",
  state_key: `@user${index}:hostile.example`,
  sender: `@user${index}:hostile.example`,
  event_id: `$member${index}`,
  origin_server_ts: 1,
  content: { membership: "join", displayname: `User ${index}` },
});

const message = (index: number): object => ({
  type: "m.room.message",
  sender: "@user:hostile.example",
  event_id: `$message${index}`,
  origin_server_ts: 1,
  content: { msgtype: "m.text", body: `message ${index}` },
});

let batches = 0;
const sync =
  (join: object): Answer =>
  (response) =>
    send(response, { next_batch: `flood${(batches += 1)}`, rooms: { join } });

const repeated = <T>(count: number, each: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => each(i));

const hostile = (name: string, server: () => Promise<ChatServer>): Case => ({
  name: `server-${name}`,
  server,
  attack: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
});

/** A chat server that sends all it can. */
export const serverCases: readonly Case[] = [
  hostile(
    "irc-ping",
    irc({
      flood: (socket) =>
        pour(
          socket,
          many(1000, (i) => `PING :${i}\r\n`),
        ),
    }),
  ),
  hostile(
    "irc-cap",
    irc({
      flood: () => undefined,
      cap: (socket) =>
        pour(
          socket,
          many(1000, (i) => `:irc.hostile CAP * LS * :cap${i}\r\n`),
        ),
    }),
  ),
  hostile(
    "irc-joins",
    irc({ flood: (socket) => void socket.write(many(100_000, (i) => `:user${i}!u@h JOIN #room\r\n`)) }),
  ),
  hostile(
    "irc-names",
    irc({
      flood: (socket) =>
        pour(
          socket,
          many(2000, (i) => `:irc.hostile 353 rialto = #room :${many(40, (j) => `n${i}x${j} `)}\r\n`),
        ),
    }),
  ),
  hostile(
    "matrix-102",
    matrix((response) =>
      pour(
        response.socket ?? response,
        many(1000, () => "HTTP/1.1 102 Processing\r\n\r\n"),
      ),
    ),
  ),
  hostile(
    "matrix-chunks",
    matrix((response) => {
      response.write("{");
      pour(
        response.socket ?? response,
        many(1000, () => "1\r\n \r\n"),
      );
    }),
  ),
  hostile("matrix-members", matrix(sync({ [ROOM]: { state: { events: repeated(200_000, member) } } }))),
  hostile("matrix-messages", matrix(sync({ [ROOM]: { timeline: { events: repeated(50_000, message) } } }))),
  hostile(
    "matrix-rooms",
    matrix(sync(Object.fromEntries(repeated(100_000, (i) => [`!r${i}:x`, { timeline: { events: [] } }])))),
  ),
];
