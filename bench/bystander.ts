/**
 * What others do to a bystander: a process that posts 40 times a second to its own API account, alone and during each
 * case of `bystander/`. `npm run bench -- bystander --program DIR` measures the build of another checkout as well, in
 * turn with this one, and `--case NAME` chooses cases.
 */
import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Asker } from "./bystander/ask.ts";
import { ATTACKED, type Case, type Scene } from "./bystander/case.ts";
import { CASES } from "./bystander/cases.ts";
import { withScratch } from "./lib/disk.ts";
import { type LoadReport, startLoad } from "./lib/load.ts";
import { v1MessageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { forgetPeak, gatewayOf, peakKiB, processorMs, residentKiB, type Rialto, withRialto } from "./lib/proc.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";

const PACE = 40;
const SECONDS = { smoke: 0.5, whole: 10 };
/** More than can wait for an answer in ten seconds. */
const CONNECTIONS = 500;
const BACKLOG_BYTES = 400;
const KIB_PER_MIB = 1024;
const P99_MS = 250;
const MEMORY_MIB = 150;
const OURS = join(import.meta.dirname, "..");
const QUIET = "quiet";
const GATEWAYS = gatewayOf(QUIET, ["api.poster", "api"]) + gatewayOf(ATTACKED.gateway, [ATTACKED.account, "api"]);
const ALONE: Case = { name: "alone", attack: () => Promise.resolve() };

interface Seen {
  readonly posted: LoadReport;
  readonly processorMs: number;
  readonly peakMiB: number;
  readonly own: readonly Figure[];
}

export async function run({ smoke, programs = [], cases = [] }: RunOptions): Promise<Result> {
  const unknown = cases.filter((name) => !CASES.some((known) => known.name === name));
  if (unknown.length > 0) throw new Error(`there is no case called ${unknown.join(", ")}`);
  const all = [ALONE, ...(smoke ? firstOfEachKind(CASES) : CASES)];
  const chosen = cases.length === 0 ? all : CASES.filter(({ name }) => cases.includes(name));
  return await withScratch(async (folder) => {
    const figures: Figure[] = [];
    let isOk = true;
    for (const each of chosen) {
      for (const program of [...programs, OURS]) {
        const of = program === OURS ? each.name : `${each.name} (${program})`;
        // A program that stands still for too long ends the connections of the bystander: there is nothing to measure.
        const seen = await look(each, { folder, program, smoke }).catch((error: unknown) => console.error(of, error));
        if (program === OURS) isOk &&= seen?.posted.refused === 0;
        if (seen === undefined) continue;
        const own = figuresOf(of, seen, program === OURS);
        console.error(own.map(({ what, value, unit }) => `${what}: ${value.toFixed(1)} ${unit}`).join("; "));
        figures.push(...own);
      }
    }
    return { name: "bystander", figures, ok: isOk };
  });
}

/** `consumers-1` stands for all whose names begin with `consumers-`. */
function firstOfEachKind(cases: readonly Case[]): readonly Case[] {
  const kind = ({ name }: Case): string | undefined => name.split("-")[0];
  return cases.filter((each, index) => cases.findIndex((other) => kind(other) === kind(each)) === index);
}

interface Stage {
  readonly folder: string;
  readonly program: string;
  readonly smoke: boolean;
}

/** Starts the program, and posts while the case does what it does. */
async function look(each: Case, { folder, program, smoke }: Stage): Promise<Seen> {
  const bin = join(program, "bin/rialto.js");
  const server = await each.server?.();
  const rest = (server?.config ?? "") + GATEWAYS;
  const { backlog = 0, general = "" } = each;
  const data = backlog === 0 ? {} : { data: await backlogOf(smoke ? 100 : backlog, { folder, bin }) };
  return await withRialto({ folder, bin, rest, general, ...data }, async (rialto) => {
    const ended = new AbortController();
    const asker = new Asker(rialto.reader, ended.signal);
    const scene: Scene = {
      port: rialto.reader,
      smoke,
      signal: ended.signal,
      token: async (scopes) => await tokenOf(bin, rialto, scopes),
      ask: async (path, options) => await asker.ask(path, options),
    };
    const bystander = startLoad();
    try {
      const body = v1MessageBody(200);
      const common = { port: rialto.poster, path: `/v1/gateways/${QUIET}/messages`, body, pace: PACE };
      // Loads what a first post needs.
      await bystander.ask({ ...common, connections: 1, messages: PACE });
      const idleKiB = residentKiB(rialto.pid);
      const prepared = (await each.prepare?.(scene)) ?? [];
      forgetPeak(rialto.pid);
      const began = processorMs(rialto.pid);
      const seconds = smoke ? SECONDS.smoke : SECONDS.whole;
      const posting = bystander.ask({ ...common, connections: CONNECTIONS, seconds });
      // The bystander does not record the first tenth of its time, in which it connects.
      await delay(seconds * 100);
      server?.flood();
      const attack = each.attack(scene, prepared);
      const posted = await posting;
      const used = processorMs(rialto.pid) - began;
      const peakMiB = (peakKiB(rialto.pid) - idleKiB) / KIB_PER_MIB;
      ended.abort();
      return { posted, processorMs: used, peakMiB, own: (await attack) ?? [] };
    } finally {
      ended.abort();
      asker.close();
      server?.close();
      await bystander.stop();
    }
  });
}

const backlogs = new Map<string, string>();
let copies = 0;

/**
 * A data folder of its own in which the attacked gateway has so many messages, written by the same program: an older
 * program cannot read the log of a newer one.
 */
async function backlogOf(messages: number, { folder, bin }: { readonly folder: string; readonly bin: string }) {
  const key = `${messages} ${bin}`;
  const filled = backlogs.get(key) ?? join(folder, `backlog-${messages}-of-${backlogs.size}`);
  if (!backlogs.has(key)) {
    await withRialto(
      { folder, bin, data: filled, rest: GATEWAYS, general: "Search = true" },
      async ({ reader: port }) => {
        const load = startLoad();
        const path = `/v1/gateways/${ATTACKED.gateway}/messages`;
        const body = v1MessageBody(BACKLOG_BYTES).replace("xxxxx", " aaaa");
        await load.ask({ port, path, body, connections: 64, messages });
        await load.stop();
      },
    );
    backlogs.set(key, filled);
  }
  const copy = `${filled}-${(copies += 1)}`;
  cpSync(filled, copy, { recursive: true, filter: (source) => !source.endsWith(".sock") });
  return copy;
}

async function tokenOf(bin: string, { conf }: Rialto, scopes: string): Promise<string> {
  const order = ["token", "create", "-conf", conf, "--account", ATTACKED.account, "--scopes", scopes, "--quiet"];
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...order]);
  return stdout.trim();
}

function figuresOf(name: string, { posted, processorMs: used, peakMiB, own }: Seen, goals: boolean): readonly Figure[] {
  const goal = (value: number): Pick<Figure, "goal"> => (goals ? { goal: { op: "<=", value } } : {});
  const { latency, refused, refusal } = posted;
  if (refusal !== null) console.error(`${name}: a post was refused: ${refusal}`);
  return [
    { what: `${name}: p50`, value: latency.p50, unit: "ms" },
    { what: `${name}: p99`, value: latency.p99, unit: "ms", ...goal(P99_MS) },
    { what: `${name}: longest`, value: latency.max, unit: "ms" },
    { what: `${name}: refused posts`, value: refused, unit: "", ...goal(0) },
    { what: `${name}: memory above idle`, value: peakMiB, unit: "MiB", ...goal(MEMORY_MIB) },
    { what: `${name}: processor`, value: used / 1000, unit: "s" },
    ...own.map(({ what, goal: promised, ...figure }) => ({
      ...figure,
      what: `${name}: ${what}`,
      ...(goals && promised !== undefined && { goal: promised }),
    })),
  ];
}

if (import.meta.main) await runAlone(run);
