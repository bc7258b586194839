import type { Socket } from "node:net";
import { type TurnBudget, TURNS } from "./turn-budget.ts";

/** Bytes that are handled in one go, between two looks at the time that is left. */
const PIECE_BYTES = 8 * 1024;

interface SocketReaderOptions {
  readonly socket: Socket;
  /** Called in order, with no more than `PIECE_BYTES` at a time. */
  readonly onBytes: (bytes: Uint8Array) => void;
  /** The socket is closed, and all that came before was handled. */
  readonly onClose: () => void;
  readonly turns?: TurnBudget;
}

/** Reads a connected socket piece by piece, in the time that a `TurnBudget` leaves to it. */
export class SocketReader {
  readonly #options: SocketReaderOptions;
  readonly #turns: TurnBudget;
  /** Read, and not handled. No more is read while there are any. */
  #chunks: Uint8Array[] = [];
  #isPaused = false;
  #isClosed = false;
  /** Pieces are being handled, or wait for a turn. */
  #isBusy = false;

  constructor(options: SocketReaderOptions) {
    const { socket, turns = TURNS } = options;
    this.#options = options;
    this.#turns = turns;
    socket.on("data", this.#onData);
    socket.on("close", this.#onClose);
  }

  /** Nothing more is handled until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#options.socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#run();
  }

  /** For good. */
  stop(): void {
    const { socket } = this.#options;
    socket.off("data", this.#onData);
    socket.off("close", this.#onClose);
    this.#isPaused = true;
    this.#chunks = [];
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#run();
  };

  readonly #onClose = (): void => {
    this.#isClosed = true;
    this.#run();
  };

  #run(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const { socket, onBytes, onClose } = this.#options;
    // What came before the end counts, also when reading is paused: nobody resumes a closed socket.
    while (this.#chunks.length > 0 && (!this.#isPaused || this.#isClosed)) {
      if (this.#turns.isSpent) {
        socket.pause();
        this.#turns.wait(() => {
          this.#isBusy = false;
          this.#run();
        });
        return;
      }
      const piece = this.#next();
      this.#turns.spend(() => onBytes(piece));
    }
    this.#isBusy = false;
    if (this.#isClosed) onClose();
    else if (!this.#isPaused) socket.resume();
  }

  #next(): Uint8Array {
    const [chunk = new Uint8Array(), ...rest] = this.#chunks;
    const isWhole = chunk.length <= PIECE_BYTES;
    this.#chunks = isWhole ? rest : [chunk.subarray(PIECE_BYTES), ...rest];
    return isWhole ? chunk : chunk.subarray(0, PIECE_BYTES);
  }
}
