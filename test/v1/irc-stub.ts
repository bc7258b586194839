import net from "node:net";

/** The least of an IRC server that Rialto can join: it takes everybody in, and tells nobody anything. */
export class IrcStub {
  /** What was said there: each PRIVMSG as it came. */
  readonly said: string[] = [];
  readonly #server = net.createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<net.Socket>();

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as net.AddressInfo).port;
  }

  /** Somebody else speaks. */
  speak(nick: string, channel: string, text: string): void {
    for (const socket of this.#sockets) socket.write(`:${nick}!u@h PRIVMSG ${channel} :${text}\r\n`);
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket);
    let rest = "";
    let nick = "rialto";
    const answer = (...lines: string[]): void => void socket.write(lines.map((line) => `${line}\r\n`).join(""));
    socket.on("error", () => undefined);
    socket.on("data", (part: Buffer) => {
      const lines = `${rest}${part.toString()}`.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [command = "", first = ""] = line.split(" ");
        if (command === "NICK") nick = first;
        if (command === "CAP" && first === "LS") answer(":stub CAP * LS :");
        if (command === "USER")
          answer(`:stub 001 ${nick} :Hello`, `:stub 005 ${nick} NICKLEN=30 :ok`, `:stub 422 ${nick} :none`);
        if (command === "PING") answer(`:stub PONG stub ${line.slice(5)}`);
        if (command === "JOIN")
          answer(
            `:${nick}!u@h JOIN ${first}`,
            `:stub 353 ${nick} = ${first} :${nick} ann @bob`,
            `:stub 366 ${nick} ${first} :End`,
          );
        if (command === "PRIVMSG") this.said.push(line);
      }
    });
  }
}
