import { type FileHandle, open } from "node:fs/promises";

const LOOK_EVERY_MS = 20;

/** The lines of a file that another program writes, as they come; from its beginning, and from when it exists. */
export class FileTail {
  readonly #path: string;
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #file: FileHandle | null = null;
  #rest = "";
  #over = false;
  readonly #done: Promise<void>;

  constructor(path: string, onLine: (line: string) => void) {
    this.#path = path;
    this.#onLine = onLine;
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#done;
    await this.#file?.close();
  }

  async #run(): Promise<void> {
    const buffer = Buffer.alloc(65_536);
    while (!this.#over) {
      this.#file ??= await open(this.#path, "r").catch(() => null);
      const bytesRead = this.#file === null ? 0 : (await this.#file.read(buffer, 0, buffer.length, null)).bytesRead;
      if (bytesRead === 0) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      else this.#take(this.#decoder.decode(buffer.subarray(0, bytesRead), { stream: true }));
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#onLine(line);
  }
}
