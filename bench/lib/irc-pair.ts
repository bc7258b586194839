import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Lines per second that a server passes from one plain socket to another: nothing faster can go through it. */
export async function lineRate(port: number, lines: number): Promise<number> {
  const [sender, receiver] = await Promise.all([join(port, "yardstick1"), join(port, "yardstick2")]);
  try {
    const arrived = countLines(receiver, lines);
    const begin = performance.now();
    for (let sent = 0; sent < lines; sent += 100) {
      const some = Array.from({ length: Math.min(100, lines - sent) }, () => LINE);
      if (!sender.write(some.join(""))) await once(sender, "drain");
    }
    await arrived;
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

function countLines(socket: Socket, wanted: number): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    socket.on("data", (chunk: Buffer) => {
      count += chunk.toString("latin1").split(` PRIVMSG ${CHANNEL} `).length - 1;
      if (count >= wanted) resolve();
    });
  });
}
