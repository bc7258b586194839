import type { Reason } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import type { DiscordHook } from "./api.ts";
import { MAX_WEBHOOKS, MISSING_ACCESS, MISSING_PERMISSIONS } from "./failure.ts";
import { speaksByHook } from "./identity.ts";
import type { DiscordLink } from "./link.ts";
import { isLaterId } from "./model.ts";
import type { DiscordWebhook } from "./records.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";
import type { DiscordRoom } from "./room.ts";

const HOOKS_MAX = 2_000;
const HOOK_NAME = "Rialto";
/** So long it is not asked again whether there may be one. */
const NONE_MS = 300_000;

export type FoundHook =
  | { readonly is: "hook"; readonly hook: DiscordHook }
  /** There is none, and there can be none now: the bot speaks itself. */
  | { readonly is: "none" }
  | { readonly is: "failed"; readonly failure: DiscordFailure };

/**
 * The webhook through which a channel is spoken in: the configured one, else the oldest one of our application's, else
 * one that is made. Two sessions that make one at once each find both afterwards, and keep the older.
 */
export class DiscordHooks {
  readonly #link: DiscordLink;
  readonly #known = new Lru<string, DiscordHook>(HOOKS_MAX);
  /** Channel to the moment until which there is none. */
  readonly #none = new Map<string, number>();
  /** One look-up at a time for each channel. */
  readonly #asking = new Map<string, Promise<FoundHook>>();

  constructor(link: DiscordLink) {
    this.#link = link;
  }

  async of(room: DiscordRoom, signal: AbortSignal): Promise<FoundHook> {
    if (room.webhook !== null) return this.#configured(room.webhook, room.hookChannel);
    if (!speaksByHook(room, this.#link.settings)) return NONE;
    const channel = room.hookChannel;
    const known = this.#known.get(channel);
    if (known !== undefined) return { is: "hook", hook: known };
    if ((this.#none.get(channel) ?? 0) > this.#link.host.clock.monoMs()) return NONE;
    const asked = this.#asking.get(channel) ?? this.#ask(channel, room.name, signal);
    this.#asking.set(channel, asked);
    try {
      return await asked;
    } finally {
      this.#asking.delete(channel);
    }
  }

  /** The one that wrote a message; null: it is not ours to use, or gone. */
  async byId(room: DiscordRoom, id: string, signal: AbortSignal): Promise<DiscordResult<DiscordHook | null>> {
    const known = [room.webhook, this.#known.get(room.hookChannel)].find((hook) => hook?.id === id);
    if (known !== undefined && known !== null) return { ok: true, value: known };
    const listed = await this.#link.api.webhooksOf(room.hookChannel, signal);
    if (!listed.ok) return mayNot(listed.failure) ? { ok: true, value: null } : listed;
    return { ok: true, value: listed.value.find((hook) => hook.id === id && hook.token !== "") ?? null };
  }

  /** It has turned out to be gone, or elsewhere. */
  forget({ hookChannel, webhook, name }: DiscordRoom): void {
    this.changed(hookChannel);
    if (webhook === null) return;
    const { host } = this.#link;
    const message = `in #${name} senders are named before the text: the webhook of WebhookURL is gone, or speaks in another channel; write the address of another one, or leave WebhookURL out`;
    host.degraded({ code: "config", message }, `webhook ${hookChannel}`);
    this.#none.set(hookChannel, host.clock.monoMs() + NONE_MS);
  }

  /** Somebody has made, changed, moved or deleted webhooks of a channel. */
  changed(channel: string): void {
    this.#known.delete(channel);
  }

  #configured(hook: DiscordHook, channel: string): FoundHook {
    const { own, host } = this.#link;
    const untilMs = this.#none.get(channel) ?? null;
    if (untilMs !== null && untilMs > host.clock.monoMs()) return NONE;
    // It may have come back, or be another one.
    if (untilMs !== null) host.degraded(null, `webhook ${channel}`);
    this.#none.delete(channel);
    own.addHook(hook.id);
    return { is: "hook", hook };
  }

  async #ask(channel: string, name: string, signal: AbortSignal): Promise<FoundHook> {
    const { api, own, host } = this.#link;
    const found = await this.#listed(channel, signal);
    if (!found.ok) return this.#failed(found.failure, channel, name);
    let hook = found.value[0];
    if (hook === undefined) {
      const made = await api.createWebhook(channel, HOOK_NAME, signal);
      if (!made.ok) return this.#failed(made.failure, channel, name);
      const again = await this.#listed(channel, signal);
      hook = (again.ok ? again.value[0] : undefined) ?? made.value;
      // Another session of ours has made one at the same time.
      if (hook.id !== made.value.id) await api.deleteWebhook(made.value.id, signal);
    }
    own.addHook(hook.id);
    host.degraded(null, `webhook ${channel}`);
    this.#none.delete(channel);
    this.#known.set(channel, { id: hook.id, token: hook.token });
    return { is: "hook", hook };
  }

  /** Those of our application, the oldest first. */
  async #listed(channel: string, signal: AbortSignal): Promise<DiscordResult<readonly DiscordWebhook[]>> {
    const { api, application } = this.#link;
    const listed = await api.webhooksOf(channel, signal);
    if (!listed.ok) return listed;
    const ours = listed.value.filter((hook) => hook.application === application && hook.token !== "");
    return { ok: true, value: ours.toSorted((one, other) => (isLaterId(one.id, other.id) ? 1 : -1)) };
  }

  #failed(failure: DiscordFailure, channel: string, name: string): FoundHook {
    const { host } = this.#link;
    if (!mayNot(failure) && !MAX_WEBHOOKS.has(failure.code)) return { is: "failed", failure };
    const why: Reason = mayNot(failure)
      ? {
          code: "forbidden",
          message: `in #${name} senders are named before the text: the bot lacks Manage Webhooks (Edit Channel > Permissions)`,
        }
      : {
          code: "unsupported",
          message: `in #${name} senders are named before the text: it has as many webhooks as it can have; delete one (Edit Channel > Integrations)`,
        };
    host.degraded(why, `webhook ${channel}`);
    this.#none.set(channel, host.clock.monoMs() + NONE_MS);
    return NONE;
  }
}

const NONE: FoundHook = { is: "none" };

const mayNot = ({ code }: DiscordFailure): boolean => code === MISSING_PERMISSIONS || code === MISSING_ACCESS;
