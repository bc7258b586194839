import { batch, computed, signal } from "@preact/signals";
import type { ConfigCheck, ConfigFlaw, ConfigView } from "../../../src/http/admin/v1/config-deps.ts";
import type { ConnectAsked, OnlineResult, OnlineStep, ProtocolView } from "../../../src/http/admin/v1/connect-deps.ts";
import { type ApiProblem, get, post, put } from "../lib/api.ts";
import { settingsOf, type Typed } from "./typed.ts";

/** One of the two networks, as it is asked for. It outlives the page. */
export interface WizardSide {
  /** `new irc`, or `account irc.libera`; empty: not chosen. */
  readonly chosen: string;
  readonly name: string;
  readonly typed: Typed;
  readonly channel: string;
  /** Of the channel, as they are typed. */
  readonly options: Typed;
  /** Of the last try. */
  readonly steps: readonly OnlineStep[] | null;
  /** Channels to choose from, as the last try that found any has them. */
  readonly rooms: readonly string[];
}

export const STEPS = ["networks", "first", "second", "gateway", "review"] as const;
export type WizardStep = (typeof STEPS)[number] | "done";

const EMPTY: WizardSide = { chosen: "", name: "", typed: {}, channel: "", options: {}, steps: null, rooms: [] };

export const protocols = signal<readonly ProtocolView[] | null>(null);
export const step = signal<WizardStep>("networks");
export const sides = signal<readonly [WizardSide, WizardSide]>([EMPTY, EMPTY]);
export const gateway = signal("");
let freeAddresses: readonly string[] = [];
/** The configuration that is added to; null: not known yet. */
export const target = signal<ConfigView | null>(null);
export const trouble = signal<ApiProblem | null>(null);
export const busy = signal(false);
/** What Finish would apply. */
export const made = signal<{ readonly text: string; readonly added: string; readonly etag: string } | null>(null);
export const checked = signal<ConfigCheck | null>(null);

export const titles = computed(() => sides.value.map((side) => viewOf(side)?.title ?? ""));

export const accountOf = ({ chosen, name }: WizardSide): string =>
  chosen.startsWith("account ") ? chosen.slice("account ".length) : `${chosen.slice("new ".length)}.${name}`;

export const isNew = ({ chosen }: WizardSide): boolean => chosen.startsWith("new ");

export function viewOf(side: WizardSide): ProtocolView | undefined {
  const [protocol] = accountOf(side).split(".");
  return protocols.value?.find((each) => each.protocol === protocol);
}

export function change(at: 0 | 1, what: Partial<WizardSide>): void {
  const [first, second] = sides.value;
  const next = { ...(at === 0 ? first : second), ...what };
  sides.value = at === 0 ? [next, second] : [first, next];
}

/** Another network has other questions. */
export function choose(at: 0 | 1, chosen: string): void {
  change(at, { ...EMPTY, chosen });
  const view = viewOf(sides.value[at]);
  const other = accountOf(sides.value[at === 0 ? 1 : 0]);
  const isOwn = isNew(sides.value[at]);
  change(at, {
    channel: view?.onlyChannel ?? "",
    name: isOwn ? freeName(view, other) : "",
    typed: isOwn ? addressesOf(view, at) : {},
  });
}

/** A free address for each setting that needs one to listen on. The two accounts get different ones. */
function addressesOf(view: ProtocolView | undefined, at: 0 | 1): Typed {
  const free = freeAddresses[at] ?? "";
  const settings = Object.entries(view?.settings ?? {});
  const wanting = settings.filter(([, { format, default: usual }]) => format === "bind-address" && usual === undefined);
  return Object.fromEntries(wanting.map(([name]) => [name, free]));
}

function freeName(view: ProtocolView | undefined, other: string): string {
  const taken = new Set([...(view?.accounts ?? []), other].map((name) => name.toLowerCase()));
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? "main" : `main${at}`;
    if (!taken.has(`${view?.protocol ?? ""}.${name}`)) return name;
  }
}

export async function load(): Promise<void> {
  const [answer, config] = await Promise.all([
    get<{ readonly protocols: readonly ProtocolView[]; readonly freeAddresses: readonly string[] }>("/v1/admin/schema"),
    get<ConfigView>("/v1/admin/config"),
  ]);
  batch(() => {
    if (answer.ok) freeAddresses = answer.value.freeAddresses;
    if (config.ok) target.value = config.value;
    if (answer.ok && config.ok) protocols.value = answer.value.protocols;
    trouble.value = answer.ok ? (config.ok ? null : config.problem) : answer.problem;
  });
}

const askedOf = (side: WizardSide): ConnectAsked["accounts"][number] => {
  // A name that somebody wrote into the file may have a dot.
  const [protocol = "", ...rest] = accountOf(side).split(".");
  const name = rest.join(".");
  const settings = settingsOf(side.typed, viewOf(side)?.settings ?? {});
  return isNew(side) ? { protocol, name, settings } : { protocol, name };
};

/** The channel, with what was typed of it. */
function placeOf(side: WizardSide): Pick<ConnectAsked["gateway"]["bridges"][number], "channel" | "options"> {
  const known = viewOf(side)?.options ?? {};
  const typed = Object.entries(side.options).filter(([name, value]) => Object.hasOwn(known, name) && value !== "");
  return { channel: side.channel, options: Object.fromEntries(typed.map(([name, value]) => [name, String(value)])) };
}

/** Tries it as it is typed. */
export async function tryIt(at: 0 | 1): Promise<void> {
  const side = sides.value[at];
  busy.value = true;
  change(at, { steps: null });
  const body = { ...askedOf(side), ...placeOf(side) };
  const answer = await post<OnlineResult>("/v1/admin/check/online", body, { timeoutMs: 90_000 });
  batch(() => {
    busy.value = false;
    trouble.value = answer.ok ? null : answer.problem;
    if (!answer.ok) return;
    const { steps, rooms } = answer.value;
    change(at, rooms.length === 0 ? { steps } : { steps, rooms });
  });
}

/** What would be added, and what `check` says of it. */
export async function prepare(): Promise<boolean> {
  const bridges = sides.value.map((side) => ({ account: accountOf(side), ...placeOf(side) }));
  const asked: ConnectAsked = {
    accounts: sides.value.map(askedOf),
    gateway: { name: gateway.value, bridges },
  };
  busy.value = true;
  const answer = await post<{ readonly text: string; readonly added: string }>("/v1/admin/connect", asked);
  const found = answer.ok ? await post<ConfigCheck>("/v1/admin/check", { text: answer.value.text }) : null;
  batch(() => {
    busy.value = false;
    made.value = answer.ok ? { ...answer.value, etag: answer.etag ?? "" } : null;
    checked.value = found?.ok === true ? found.value : null;
    trouble.value = answer.ok ? null : answer.problem;
    if (found?.ok === false) trouble.value = found.problem;
  });
  return answer.ok;
}

export async function finish(): Promise<void> {
  if (made.value === null) return;
  const { text, etag } = made.value;
  busy.value = true;
  const answer = await put("/v1/admin/config", { text }, { headers: { "If-Match": etag }, timeoutMs: 60_000 });
  if (!answer.ok && answer.problem.status === 412) {
    // It is added to what somebody else has written, and looked at once more.
    if (await prepare()) trouble.value = answer.problem;
    return;
  }
  batch(() => {
    busy.value = false;
    trouble.value = answer.ok ? null : answer.problem;
    if (answer.ok) step.value = "done";
    else if (answer.problem.status === 422 && Array.isArray(answer.problem.body["problems"]))
      checked.value = {
        problems: answer.problem.body["problems"] as readonly ConfigFlaw[],
        changes: [],
        needsRestart: [],
      };
  });
}

export function begin(): void {
  batch(() => {
    step.value = "networks";
    sides.value = [EMPTY, EMPTY];
    gateway.value = "";
    made.value = null;
    checked.value = null;
    trouble.value = null;
  });
  void load();
}
