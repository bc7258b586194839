/**
 * Loaded into the program with `--import`, into its threads too: what the calendar says is shifted by as many ms as the
 * file of FAULTS_CLOCK holds, as when somebody sets the clock. Clocks that only count on are left alone, as the kernel
 * leaves them.
 */
import { readFileSync } from "node:fs";

const LOOK_MS = 50;
const file = process.env["FAULTS_CLOCK"] ?? "";
const real = Date.now.bind(Date);
let shift = 0;

function look(): void {
  try {
    shift = Number(readFileSync(file, "utf8"));
  } catch {
    // Out of file descriptors, perhaps: the clock stays as it is.
  }
}

look();
setInterval(look, LOOK_MS).unref();
Date.now = () => real() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [target.now()] : args, made) as Date,
});
