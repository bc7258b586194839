import { once } from "node:events";
import { connect } from "node:net";
import { soon, type Talker, type TalkerOptions } from "./talker.ts";

const LINE = /^(?:@\S+ )?:(?<nick>[^ !]+)!\S+ PRIVMSG #(?<room>\S+) :(?<text>.*)$/u;

export interface IrcTalker extends Talker {
  /** Leaves a channel and comes back. */
  readonly hop: (room: string) => void;
}

/** A plain socket in channels named after the rooms. */
export async function ircTalker(port: number, { rooms, nick, heard }: TalkerOptions): Promise<IrcTalker> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  const joined = new Set<string>();
  let gone = false;
  socket.on("close", () => (gone = true));
  socket.on("error", () => (gone = true));
  const tell = (line: string): void => {
    if (gone) throw new Error(`the IRC server has thrown ${nick} out`);
    socket.write(`${line}\r\n`);
  };
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("PING ")) socket.write(`PONG ${line.slice(5)}\r\n`);
      const [, code, , channel = ""] = line.split(" ");
      if (code === "001") for (const room of rooms) tell(`JOIN #${room}`);
      if (code === "366") joined.add(channel);
      const { room, text = "" } = LINE.exec(line)?.groups ?? {};
      if (room !== undefined) heard({ room, kind: "message", text });
    }
  });
  tell(`NICK ${nick}\r\nUSER ${nick} 0 * :${nick}`);
  await soon(`${nick} to be in ${rooms.length} channels`, () => joined.size === rooms.length || gone);
  return {
    say: async (room, text) => tell(`PRIVMSG #${room} :${text}`),
    hop: (room) => tell(`PART #${room}\r\nJOIN #${room}`),
    stop: async () => void socket.destroy(),
  };
}
