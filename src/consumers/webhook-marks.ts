import { isObject, isTexts, readJson, listOf } from "../lib/shapes.ts";
import type { ConsumerStart } from "./consumers.ts";
import type { PusherState } from "./pusher.ts";
import type { WebhookSpec } from "./webhooks.ts";

/** What is stored of a webhook beside its consumer: its configuration with its secrets. */
export interface WebhookRecord {
  readonly spec: WebhookSpec;
  /** The newest first; an older one until then, Unix ms. */
  readonly secrets: readonly { readonly secret: string; readonly untilMs: number | null }[];
}

/** Null: nothing that this version has written. */
export function readRecord(text: string): WebhookRecord | null {
  const value = readJson(text);
  if (!isObject(value) || !isObject(value["spec"])) return null;
  const { url, filter, start, ordered, timeoutMs } = value["spec"];
  if (typeof url !== "string" || typeof ordered !== "boolean" || typeof timeoutMs !== "number") return null;
  if (!isObject(filter) || !isStart(start)) return null;
  const { gateways, types, accounts } = filter;
  // An empty list would mean all.
  if (!isTexts(gateways) || !isTexts(types) || !isTexts(accounts)) return null;
  const secrets = listOf(value["secrets"]).flatMap((each) => {
    if (!isObject(each) || typeof each["secret"] !== "string") return [];
    const { secret, untilMs } = each;
    return [{ secret, untilMs: typeof untilMs === "number" ? untilMs : null }];
  });
  // Nobody would take what is not signed.
  if (secrets.length === 0) return null;
  const spec: WebhookSpec = {
    url,
    filter: { gateways, types, accounts, mine: filter["mine"] === true },
    start,
    ordered,
    timeoutMs,
  };
  return { spec, secrets };
}

function isStart(value: unknown): value is ConsumerStart {
  if (value === "new" || value === "all") return true;
  if (!isObject(value)) return false;
  return [value["after"], value["time"], value["last"]].some((number) => typeof number === "number");
}

/** What cannot be read counts as nothing: at worst an endpoint is tried again sooner. */
export function readState(text: string): PusherState {
  const value = readJson(text);
  const tries: Record<string, readonly [number, number]> = {};
  if (!isObject(value)) return { disabled: null, tries };
  const { disabled } = value;
  for (const [key, pair] of Object.entries(isObject(value["tries"]) ? value["tries"] : {})) {
    const [count, nextMs] = listOf(pair);
    if (typeof count === "number" && typeof nextMs === "number") tries[key] = [count, nextMs];
  }
  const isDisabled = isObject(disabled) && typeof disabled["why"] === "string" && typeof disabled["atMs"] === "number";
  return { disabled: isDisabled ? { why: String(disabled["why"]), atMs: Number(disabled["atMs"]) } : null, tries };
}
