import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Outcome, Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Ended, Handlers, Joined, Session } from "../../contract/session.ts";
import { ASKED, lost } from "../kit/ends.ts";
import { Http } from "../kit/http.ts";
import { inTime } from "../kit/in-time.ts";
import type { ServerTrust } from "../kit/trust.ts";
import type { capabilities } from "./capabilities.ts";
import { type HookServer, listenForHooks } from "./hook-server.ts";
import { channelRef } from "./ids.ts";
import type { MattermostSettings } from "./settings.ts";
import { type HookPost, hookEvent } from "./webhook-in.ts";
import { postByWebhook } from "./webhook-out.ts";

type MattermostHandlers = Handlers<typeof capabilities>;

/** So long a post waits for the channels to be joined. Mattermost waits for the answer for 30 s as it is installed. */
const KNOWN_MS = 20_000;

/** Takes part through webhooks alone: without a user there are messages, and nothing else. */
export async function openHooks(
  args: OpenArgs<MattermostSettings>,
  trust: ServerTrust,
): Promise<Opened<MattermostHandlers>> {
  const { settings } = args;
  const session = new HookSession(args, trust);
  if (settings.WebhookBindAddress === "") return { ok: true, session };
  const listening = await listenForHooks({
    address: settings.WebhookBindAddress,
    tokens: settings.WebhookToken,
    onPost: async (post) => await session.take(post),
  });
  if (!listening.ok) return { ok: false, ended: lost("network", listening.why) };
  session.attach(listening.server);
  return { ok: true, session };
}

class HookSession implements Session<MattermostHandlers> {
  readonly as = "a webhook";
  readonly handlers: MattermostHandlers;
  readonly ended: Promise<Ended>;
  readonly #args: OpenArgs<MattermostSettings>;
  readonly #http: Http;
  readonly #channels = new Set<string>();
  /** The first channels are known: what comes earlier waits for them. False: there will be none. */
  readonly #known = Promise.withResolvers<boolean>();
  readonly #closing = Promise.withResolvers<Ended>();
  #server: HookServer | null = null;

  constructor(args: OpenArgs<MattermostSettings>, trust: ServerTrust) {
    const { settings, host } = args;
    this.#args = args;
    this.ended = this.#closing.promise;
    this.#http = new Http(host.clock, trust);
    const post = postByWebhook({
      http: this.#http,
      url: settings.WebhookURL,
      prefix: settings.PrefixMessagesWithNick,
    });
    this.handlers = { post, edit: cannot, delete: cannot, react: cannot, topic: cannot };
  }

  attach(server: HookServer): void {
    this.#server = server;
  }

  async join({ name }: ChannelRequest): Promise<Joined> {
    this.#channels.add(name);
    // Those that are joined with it follow at once.
    setImmediate(() => this.#known.resolve(true));
    await Promise.resolve();
    return { ok: true, ref: channelRef(name), without: ["edit", "delete", "react", "topic"] };
  }

  async leave(channel: ChannelRef): Promise<void> {
    this.#channels.delete(channel);
    await Promise.resolve();
  }

  /** True when it is on disk, or wanted nowhere; false: nobody knows yet where it is wanted. */
  async take(post: HookPost): Promise<boolean> {
    const { host } = this.#args;
    const limit = { clock: host.clock, ms: KNOWN_MS };
    if (!(await inTime(this.#known.promise, limit, () => false))) {
      host.log.warn({ channel: post.channelName }, "a webhook came before the channels were joined, and was refused");
      return false;
    }
    const isMeant = (name: string): boolean =>
      name === `ID:${post.channelId}` || name.toLowerCase() === post.channelName.toLowerCase();
    const channel = [...this.#channels].find(isMeant);
    if (channel === undefined) {
      host.log.debug({ channel: post.channelName }, "a webhook tells of a channel that is not bridged");
      return true;
    }
    const event = hookEvent(post, channelRef(channel), host.clock.nowMs());
    await host.accept({ events: [event], cursor: null });
    return true;
  }

  async quiesce(): Promise<void> {
    this.#server?.close();
    await Promise.resolve();
  }

  async close(): Promise<void> {
    this.#server?.close();
    this.#known.resolve(false);
    this.#http.close();
    this.#closing.resolve(ASKED);
    await this.ended;
  }
}

const WITHOUT_USER: Reason = {
  code: "unsupported",
  message: "webhooks can only post; set Token, Server and Team for edits, deletions, reactions and topics",
};

const cannot = async (): Promise<Outcome> => await Promise.resolve({ is: "rejected", why: WITHOUT_USER });
