import { type ChildProcess, spawn } from "node:child_process";

/** Reads `+ pid` and `- pid`; when nobody writes any more, kills those that are left. */
const SCRIPT = `
all=" "
while read -r sign pid; do
  all=$(printf %s "$all" | sed "s/ $pid / /")
  if [ "$sign" = + ]; then all="$all$pid "; fi
done
for pid in $all; do kill -9 "$pid"; done`;

let watchdog: ChildProcess | null = null;

/**
 * A process of ours that outlives this one for a moment, and ends what was started here and has not ended: also when
 * this one is killed, and also programs that change their user, which the kernel would let live.
 */
function tell(sign: "+" | "-", pid: number): void {
  watchdog ??= start();
  watchdog.stdin?.write(`${sign} ${pid}\n`);
}

function start(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.on("error", () => {}); // without it a killed test run may leave programs behind
  child.stdin.on("error", () => {});
  child.unref();
  (child.stdin as unknown as { unref: () => void }).unref();
  return child;
}

/** The program does not outlive this process, however this one ends. */
export function guard(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  tell("+", pid);
  child.once("close", () => tell("-", pid));
}
