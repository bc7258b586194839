/**
 * A large file from a real Matrix homeserver to a real XMPP server, through the whole program: how much memory that
 * takes, and how fast it is.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { SERVER_NAME, startSynapse, type Synapse } from "../test/servers/matrix/synapse.ts";
import { SlixmppPerson } from "../test/servers/people/slixmpp.ts";
import { startProsody } from "../test/servers/xmpp/prosody.ts";
import type { XmppServer } from "../test/servers/xmpp/server.ts";
import { withScratch } from "./lib/disk.ts";
import { MatrixSharer } from "./lib/matrix-sharer.ts";
import { runAlone } from "./lib/print.ts";
import { gatewayOf, residentKiB, withRialto } from "./lib/proc.ts";
import type { Result, RunOptions } from "./lib/result.ts";

const MEBIBYTE = 1024 * 1024;
const PASSWORD = "open-sesame";
const ROOM = "bench@conference.localhost";
const WARM = MEBIBYTE / 2;
const LIMIT_MS = 180_000;

interface Carried {
  /** KiB: before, and the most that it came to. */
  readonly idle: number;
  readonly most: number;
  readonly ms: number;
  readonly same: boolean;
}

export async function run({ smoke }: RunOptions): Promise<Result> {
  const size = smoke ? 8 : 200;
  const [synapse, prosody] = await Promise.all([startSynapse({ uploadMax: "300M" }), startProsody()]);
  try {
    const { idle, most, ms, same } = await withScratch((folder) =>
      carry({ folder, synapse, prosody, bytes: size * MEBIBYTE }),
    );
    return {
      name: `a file of ${size} MiB from Matrix (Synapse) to XMPP (Prosody)`,
      figures: [
        { what: "memory before", value: idle / 1024, unit: "MiB" },
        { what: "memory above that", value: (most - idle) / 1024, unit: "MiB", goal: { op: "<=", value: 40 } },
        { what: "from the message there to the message here", value: (size * 1000) / ms, unit: "MiB/s" },
      ],
      ok: same,
    };
  } finally {
    await Promise.all([synapse.stop(), prosody.stop()]);
  }
}

interface Scene {
  readonly folder: string;
  readonly synapse: Synapse;
  readonly prosody: XmppServer;
  readonly bytes: number;
}

async function carry({ folder, synapse, prosody, bytes }: Scene): Promise<Carried> {
  for (const user of ["rialto", "xena"]) await prosody.register(user, PASSWORD);
  const mona = await MatrixSharer.register(synapse.url, "mona", PASSWORD);
  await MatrixSharer.register(synapse.url, "rialto", PASSWORD);
  const room = await mona.create("bench");
  const xena = await SlixmppPerson.connect({
    port: prosody.port,
    jid: "xena@localhost",
    password: PASSWORD,
    nick: "xena",
  });
  await xena.join(ROOM);
  const addresses = (): readonly string[] => xena.messages(ROOM).flatMap(({ oob }) => oob ?? []);
  const arrived = async (count: number): Promise<void> => {
    for (const begin = performance.now(); addresses().length < count; await delay(5)) {
      if (performance.now() - begin > LIMIT_MS) throw new Error("the file has not come to the other room");
    }
  };
  const env = { RIALTO_GENERAL_MEDIADOWNLOADSIZE: String(2 ** 30), RIALTO_GENERAL_MEDIABYTES: String(2 ** 31) };
  try {
    return await withRialto({ folder, rest: configuration(synapse, prosody), env }, async ({ pid, output }) => {
      while (output().split('"joined').length < 3) await delay(20);
      // What is loaded and compiled with the first file is no cost of the second.
      await mona.share(room, await mona.upload("warm.bin", WARM));
      await arrived(1);
      const file = await mona.upload("film.bin", bytes);
      await delay(2000);
      const idle = residentKiB(pid);
      forgetMost(pid);
      const begin = performance.now();
      await mona.share(room, file);
      await arrived(2);
      const ms = performance.now() - begin;
      return { idle, most: mostKiB(pid), ms, same: (await digestOf(addresses()[1] ?? "")) === file.sha256 };
    });
  } finally {
    await xena.quit();
  }
}

/** From now on the most is counted anew (proc(5), `clear_refs`). */
function forgetMost(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function mostKiB(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

async function digestOf(url: string): Promise<string> {
  const answer = await fetch(url);
  const hash = createHash("sha256");
  for await (const chunk of answer.body ?? []) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}

function configuration({ url }: Synapse, { port }: XmppServer): string {
  return `[xmpp.net]
Server = "127.0.0.1:${port}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
[matrix.net]
Server = "${url}"
Login = "rialto"
Password = "${PASSWORD}"
${gatewayOf("carry", ["xmpp.net", "bench"], ["matrix.net", `#bench:${SERVER_NAME}`], ["api.poster", "api"], ["api.reader", "api"])}`;
}

if (import.meta.main) await runAlone(run);
