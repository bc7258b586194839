/**
 * `npm run dockerfile`: runs the lines of the Dockerfile without Docker, then starts what they made. It needs Linux and
 * root. Each stage is an overlay over this machine's files, so nothing on the machine changes. The mounts end with this
 * process (unshare). The base image is this machine, with the Node of the checkout at the place of the image's.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stagesOf } from "./dockerfile/instructions.ts";
import { Layers } from "./dockerfile/layers.ts";
import { freePorts } from "../test/support/ports.ts";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "rialto-dockerfile-"));
const images = new Map<string, Layers>();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** COPY without --from: what is committed, as in a fresh clone. */
function fromContext(paths: readonly string[], to: string): void {
  const archive = execFileSync("git", ["archive", "HEAD", "--", ...paths], { cwd: root, maxBuffer: 512 * 1024 * 1024 });
  execFileSync("tar", ["-x", "-C", to], { input: archive });
}

function build(): Layers {
  let last: Layers | null = null;
  for (const stage of stagesOf(readFileSync(join(root, "Dockerfile"), "utf8"))) {
    say(`FROM ${stage.from} AS ${stage.name}`);
    const below = images.get(stage.from) ?? null;
    const image = new Layers(join(scratch, stage.name), below);
    images.set(stage.name, image);
    if (below === null) image.put(process.execPath, "/usr/local/bin/node");
    for (const instruction of stage.instructions) {
      say(`${instruction.name} ${instruction.rest}`);
      image.do(instruction, fromContext, images);
    }
    last = image;
  }
  if (last === null) throw new Error("the Dockerfile has no stage");
  return last;
}

/** What one asks of the image: both names, both places of the configuration, no npm, and a message that crosses. */
async function use(image: Layers): Promise<void> {
  say(image.run(["rialto", "version"], false).trim());
  say(image.run(["matterbridge", "-version"], false).trim());
  image.run(["sh", "-c", "! test -e /usr/local/bin/npm && ! test -e /app/node_modules/.bin && ! test -w /app"]);
  for (const place of ["/etc/matterbridge/matterbridge.toml", "/etc/rialto/rialto.toml"]) {
    const [left = 0, right = 0] = await freePorts(2);
    const account = (name: string, port: number): string =>
      `[api.${name}]\nBindAddress = "127.0.0.1:${port}"\nBuffer = 10\n`;
    const ends = `inout = [{ account = "api.left", channel = "api" }, { account = "api.right", channel = "api" }]`;
    mkdirSync(join(image.root, place, ".."), { recursive: true });
    writeFileSync(
      join(image.root, place),
      `${account("left", left)}${account("right", right)}[[gateway]]\nname = "g"\nenable = true\n${ends}\n`,
    );
    const program = image.start(["rialto"], {});
    const ended = new Promise<number | null>((settle) => program.once("exit", settle));
    const post = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"gateway":"g","username":"ann","text":"hello"}',
    };
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(`http://127.0.0.1:${left}/api/message`, post).catch(() => null);
      if (answer?.ok === true) break;
      if (tries === 300) throw new Error(`the program does not answer with ${place}`);
      await setTimeout(100);
    }
    const read = await fetch(`http://127.0.0.1:${right}/api/messages`);
    const texts = ((await read.json()) as readonly { readonly text: string }[]).map(({ text }) => text);
    image.run(["sh", "-c", "rialto status --socket /var/lib/rialto/rialto.sock >/dev/null || [ $? -eq 1 ]"]);
    program.kill("SIGTERM");
    const code = await ended;
    say(`${place}: received ${JSON.stringify(texts)}, health check passed, ended with ${code}`);
    if (!texts.includes("hello") || code !== 0) throw new Error("that is not what was sent, or not a stop in order");
    rmSync(join(image.root, place));
  }
}

try {
  await use(build());
} finally {
  for (const image of [...images.values()].toReversed()) image.unmount();
  // If something is still mounted there, it stays as it is.
  execFileSync("rm", ["-rf", "--one-file-system", scratch]);
}
