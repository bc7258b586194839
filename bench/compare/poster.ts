import { Connection } from "../lib/connection.ts";

/** Posts on connections that stay open between turns, so that a turn costs the program nothing but its messages. */
export class Poster {
  readonly #idle: Connection[];
  readonly #broken = Promise.withResolvers<never>();
  #unsent = 0;
  #unanswered = 0;
  #number = 0;
  #done: () => void = () => undefined;

  static async open(port: number, body: string, count: number, path?: string): Promise<Poster> {
    const poster = new Poster(port, body, count, path);
    await Promise.all(poster.#idle.map((connection) => connection.opened(poster.#broken.reject)));
    return poster;
  }

  private constructor(port: number, body: string, count: number, path?: string) {
    // Whoever waits for a turn hears of it.
    this.#broken.promise.catch(() => undefined);
    const answered = this.#answered.bind(this);
    this.#idle = Array.from({ length: count }, () => new Connection(port, body, answered, path));
  }

  /** Resolves when so many more are answered; each connection sends as soon as it has its answer. */
  async turn(messages: number): Promise<void> {
    this.#unsent = messages;
    this.#unanswered = messages;
    const done = new Promise<void>((resolve) => (this.#done = resolve));
    for (const connection of this.#idle.splice(0)) this.#send(connection);
    await Promise.race([done, this.#broken.promise]);
  }

  /** Only between turns, when all of them are idle. */
  close(): void {
    for (const connection of this.#idle) connection.close();
  }

  #answered(connection: Connection, _ms: number, ok: boolean): void {
    if (!ok) this.#broken.reject(new Error(`a post was refused: ${connection.refusal ?? ""}`));
    this.#unanswered -= 1;
    this.#send(connection);
    if (this.#unanswered === 0) this.#done();
  }

  #send(connection: Connection): void {
    if (this.#unsent === 0) {
      this.#idle.push(connection);
      return;
    }
    this.#unsent -= 1;
    connection.send(this.#number);
    this.#number += 1;
  }
}
