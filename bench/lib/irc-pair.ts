import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Most lines under way: a server throws out a reader whose lines pile up. */
const WINDOW = 500;
const BATCH = 100;

/** Lines per second that a server passes from one plain socket to another: nothing faster can go through it. */
export async function lineRate(port: number, lines: number): Promise<number> {
  const [sender, receiver] = await Promise.all([join(port, "yardstick1"), join(port, "yardstick2")]);
  try {
    const begin = performance.now();
    await new Promise<void>((resolve, reject) => {
      let sent = 0;
      let had = 0;
      const send = (): void => {
        while (sent < lines && sent - had <= WINDOW - BATCH) {
          sender.write(LINE.repeat(BATCH));
          sent += BATCH;
        }
      };
      let rest = "";
      receiver.on("data", (chunk: Buffer) => {
        const all = (rest + chunk.toString("latin1")).split("\n");
        rest = all.pop() ?? "";
        had += all.filter((line) => line.includes(` PRIVMSG ${CHANNEL} `)).length;
        if (had >= lines) resolve();
        else send();
      });
      for (const socket of [sender, receiver]) socket.on("close", () => reject(new Error("the server hung up")));
      send();
    });
    return lines / ((performance.now() - begin) / 1000);
  } finally {
    sender.destroy();
    receiver.destroy();
  }
}

const CHANNEL = "#yardstick";
const LINE = `PRIVMSG ${CHANNEL} :${"x".repeat(100)}\r\n`;

async function join(port: number, nick: string): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  const joined = new Promise<void>((resolve) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      if (!text.includes(` 366 ${nick} `)) return;
      socket.off("data", read);
      resolve();
    };
    socket.on("data", read);
  });
  socket.write(`NICK ${nick}\r\nUSER ${nick} 0 * :${nick}\r\nJOIN ${CHANNEL}\r\n`);
  await joined;
  return socket;
}
