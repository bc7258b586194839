/**
 * The pages in Chromium: how soon something is on them, whether they keep the pace of the screen while 200 messages
 * come in a second, against the same page while nothing comes, and what 10 000 messages leave in memory.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { pathOf } from "../test/servers/installed.ts";
import { ApiClient } from "../test/support/client.ts";
import { freePorts } from "../test/support/ports.ts";
import { withScratch } from "./lib/disk.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, gatewayOf, withRialto } from "./lib/proc.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const BIN = join(import.meta.dirname, "../bin/rialto.js");
const RATE = 200;
const IN_ALL = 10_000;
const MEBIBYTE = 1024 * 1024;

/** Not in the smoke run: a browser is more than a machine with only Node and npm has. */
export const smokeless = true;

// In the page.
declare const requestAnimationFrame: (frame: (at: number) => void) => void;

/** A page as somebody has it open, and how its content is known to be there. */
interface Sheet {
  readonly name: string;
  readonly page: Page;
  readonly seen: (page: Page) => Promise<void>;
}

interface Pace {
  readonly framesPerS: number;
  /** Of the main thread, without the time in which it had no processor. */
  readonly frameMs: number;
}

/** Says so much in a second, until it is told to end; says then how much that was. */
class Speaker {
  said = 0;
  readonly #api: ApiClient;

  constructor(port: number) {
    this.#api = new ApiClient(`http://127.0.0.1:${port}`);
  }

  async say(messages: number, rate: number): Promise<void> {
    const begin = performance.now();
    const under = new Set<Promise<unknown>>();
    for (let number = 0; number < messages; number += 1) {
      await delay(begin + (number * 1000) / rate - performance.now());
      this.said += 1;
      const text = `message ${this.said} of some words, with https://example.org/${this.said} in it`;
      const post = this.#api.post({ text, username: `user ${this.said % 17}`, gateway: GATEWAY });
      under.add(post);
      void post.finally(() => under.delete(post)).catch(() => undefined);
    }
    await Promise.all(under);
  }
}

export async function run({ smoke }: RunOptions): Promise<Result> {
  const seconds = smoke ? 2 : 15;
  const [admin = 0, web = 0] = await freePorts(2);
  const rest = [
    `[web.site]\nBindAddress = "127.0.0.1:${web}"\n`,
    gatewayOf(GATEWAY, ["api.poster", "api"], ["api.reader", "api"], ["web.site", "lobby"]),
  ].join("\n");
  const env = { RIALTO_GENERAL_ADMINBINDADDRESS: `127.0.0.1:${admin}` };
  return await withScratch(async (folder) =>
    withRialto({ folder, rest, env, buffer: IN_ALL }, async ({ poster }) => {
      const home = join(folder, readdirSync(folder).find((name) => name.startsWith("rialto-")) ?? "");
      const command = (...words: readonly string[]): string =>
        execFileSync(process.execPath, [BIN, ...words, "-conf", "rialto.toml"], {
          cwd: home,
          env: { ...process.env, ...env },
        })
          .toString()
          .trim();
      const browser = await chromium.launch({
        executablePath: pathOf("chromium"),
        args: ["--no-sandbox", "--disable-dev-shm-usage"],
      });
      try {
        const sheets = [await now(browser, command("dashboard")), await chat(browser, command("invite", GATEWAY))];
        const speaker = new Speaker(poster);
        const figures: Figure[] = [];
        for (const sheet of sheets) figures.push(...(await paced(sheet, speaker, seconds)));
        await speaker.say(Math.max(0, (smoke ? 500 : IN_ALL) - speaker.said), 2 * RATE);
        await delay(2000);
        for (const { name, page } of sheets) {
          const value = (await heapBytes(page)) / MEBIBYTE;
          figures.push({ what: `${name}: memory of scripts after ${speaker.said} messages`, value, unit: "MiB" });
        }
        return { name: "Pages", figures, ok: true };
      } finally {
        await browser.close();
      }
    }),
  );
}

async function now(browser: Browser, link: string): Promise<Sheet> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  const seen = async (at: Page): Promise<void> => await at.getByRole("table", { name: "Bridges" }).waitFor();
  await seen(page);
  return { name: "Now", page, seen };
}

async function chat(browser: Browser, link: string): Promise<Sheet> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  await page.getByRole("textbox", { name: "Your name" }).fill("ann");
  await page.getByRole("button", { name: "Join" }).click();
  const seen = async (at: Page): Promise<void> => await at.getByRole("log", { name: "Messages" }).waitFor();
  await seen(page);
  return { name: "Web chat", page, seen };
}

async function paced({ name, page, seen }: Sheet, speaker: Speaker, seconds: number): Promise<readonly Figure[]> {
  const paints: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const another = await page.context().newPage();
    await another.goto(page.url());
    await seen(another);
    paints.push(await firstPaintMs(another));
    await another.close();
  }
  await page.bringToFront();
  await delay(1000);
  const still = await paceOf(page, seconds);
  const [busy] = await Promise.all([
    delay(1000).then(async () => await paceOf(page, seconds)),
    speaker.say(RATE * (seconds + 2), RATE),
  ]);
  const ratio = busy.framesPerS / still.framesPerS;
  const goal = { op: ">=", value: 0.9 } as const;
  return [
    { what: `${name}: first paint`, value: median(paints), unit: "ms" },
    { what: `${name}: frames while ${RATE} messages/s come against none`, value: ratio, unit: "x", goal },
    { what: `${name}: frames while ${RATE} messages/s come`, value: busy.framesPerS, unit: "/s" },
    { what: `${name}: main thread for such a frame`, value: busy.frameMs, unit: "ms" },
  ];
}

const firstPaintMs = async (page: Page): Promise<number> =>
  await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN);

async function paceOf(page: Page, seconds: number): Promise<Pace> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busyS = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const before = await busyS();
  const frames = await page.evaluate(
    async (ms) =>
      await new Promise<number>((resolve) => {
        const begin = performance.now();
        let count = 0;
        const frame = (at: number): void => {
          count += 1;
          if (at - begin < ms) requestAnimationFrame(frame);
          else resolve(count);
        };
        requestAnimationFrame(frame);
      }),
    seconds * 1000,
  );
  const frameMs = (((await busyS()) - before) * 1000) / frames;
  await session.detach();
  return { framesPerS: frames / seconds, frameMs };
}

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

if (import.meta.main) await runAlone(run);
