import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Where a person is asked. `isTTY`: keys arrive one by one, and readline shows them. */
export interface Console {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

export interface Questions {
  /** The answer, without white space around it. Rejects with a NoAnswer when the input has ended, or by Ctrl-C. */
  readonly ask: (question: string, how?: { readonly isSecret: boolean }) => Promise<string>;
  readonly close: () => void;
}

export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** What readline writes to: it passes on what may be shown. */
class Screen extends Writable {
  /** Between questions as well: what is typed ahead may be the answer to a question for a secret. */
  isShown = false;
  readonly #output: Console["output"];

  constructor(output: Console["output"]) {
    super({ decodeStrings: false });
    this.#output = output;
  }

  /** Readline looks at it to wrap a long answer. */
  get columns(): number | undefined {
    return this.#output.columns;
  }

  override _write(text: string | Buffer, _: BufferEncoding, done: () => void): void {
    if (this.isShown) this.#output.write(text);
    done();
  }
}

/**
 * Asks on a terminal. Several lines that are pasted at once answer several questions. The answer to a secret question
 * is not shown, also when it was typed or pasted before the question.
 */
export function openQuestions({ input, output }: Console): Questions {
  const isTerminal = output.isTTY === true;
  const screen = new Screen(output);
  // Without a history: the arrow keys would bring a secret back to where it is shown.
  const lines = createInterface({ input, output: screen, terminal: isTerminal, historySize: 0 });
  const answers: string[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  lines.on("line", (line) => {
    // At once: readline may go on with the rest of a paste before anything else runs.
    screen.isShown = false;
    answers.push(line);
    wake();
  });
  lines.on("close", () => {
    isOver = true;
    wake();
  });
  const ask: Questions["ask"] = async (question, { isSecret } = { isSecret: false }) => {
    const isEarly = answers.length > 0;
    if (isEarly || isOver || isSecret || !isTerminal) output.write(question);
    if (!isEarly && !isOver) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      screen.isShown = isTerminal && !isSecret;
      lines.setPrompt(isSecret ? "" : question);
      // With what was typed ahead.
      if (screen.isShown) lines.prompt(true);
      await woken;
    }
    const answer = answers.shift();
    // Readline shows the other answers, and ends their lines.
    if (isTerminal && (isEarly || isSecret || answer === undefined))
      output.write(`${isEarly && !isSecret ? answer : ""}\n`);
    if (answer === undefined) throw new NoAnswer();
    return answer.trim();
  };
  return { ask, close: () => lines.close() };
}
