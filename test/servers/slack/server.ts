import type { Answer } from "../site/answer.ts";
import type { Faults, Which } from "../site/faults.ts";
import { type Asked, type Handshake, Site } from "../site/site.ts";
import type { Proxy } from "../proxy.ts";
import { Channels } from "./channels.ts";
import { Files } from "./files.ts";
import { incoming } from "./hooks.ts";
import { Hub } from "./hub.ts";
import { Limits } from "./limits.ts";
import { Messages } from "./messages.ts";
import { channelMethods, History } from "./methods-channels.ts";
import { chatMethods } from "./methods-chat.ts";
import { peopleMethods } from "./methods-people.ts";
import { entitled, type Method, type Methods, provided, read } from "./requests.ts";
import { Sockets } from "./sockets.ts";
import { type AppRow, Refusal } from "./wire.ts";
import { World } from "./world.ts";

export interface SlackOptions {
  /** What stands before the method, as `/api/`. */
  readonly base?: string;
}

/** Larger bodies break the connection. */
const BODY_MAX = 64 * 1024 * 1024;

/** One grey point. */
const AVATAR = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOsr6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
  "base64",
);

/**
 * A Slack of our own: what it says, refuses and forgets is what the real one does, by its public description. Tests do
 * what people do by `people.ts`, and break it by `faults`, `limits`, `wire`, `sockets`, `hub` and the methods here.
 */
export class FakeSlack {
  readonly world = new World();
  readonly hub = new Hub(this.world);
  readonly sockets = new Sockets(this.world, this.hub);
  readonly messages = new Messages(this.world, this.hub);
  readonly channels = new Channels(this.world, this.hub, this.messages);
  readonly files = new Files(this.world, this.messages);
  readonly history = new History();
  readonly limits = new Limits(() => this.world.now());
  readonly #base: string;
  readonly #methods: Methods;
  readonly #site: Site;

  private constructor(options: SlackOptions) {
    this.#base = options.base ?? "/api/";
    this.#methods = {
      ...chatMethods(this.world, this.messages),
      ...channelMethods(this.world, this.channels, this.messages, this.history),
      ...peopleMethods(this.world, this.messages, this.sockets),
      ...this.files.methods,
    };
    this.#site = new Site({
      name: ({ pathname }) => this.#nameOf(pathname),
      most: BODY_MAX,
      answer: async (asked) => await this.#answer(asked),
      upgrade: (handshake) => this.#upgrade(handshake),
      terminate: () => this.sockets.terminate(),
    });
  }

  static async start(options: SlackOptions = {}): Promise<FakeSlack> {
    const server = new FakeSlack(options);
    await server.#site.start();
    server.world.site = `http://127.0.0.1:${server.wire.port}`;
    return server;
  }

  /** As the setting `ApiURL` names it. What goes there, to files and to sockets can be cut and stalled by `wire`. */
  get url(): string {
    return `${this.world.site}${this.#base}`;
  }

  /** The road to the server. */
  get wire(): Proxy {
    return this.#site.wire;
  }

  /** Where it listens itself, behind the road. */
  get port(): number {
    return this.#site.port;
  }

  /** A method is the path `/chat.postMessage`; others are as they are: `/upload/v1/`, `/files-pri/`, `/link/`. */
  get faults(): Faults {
    return this.#site.faults;
  }

  /** Each request, as `POST /chat.postMessage`, in the order in which they were finished reading. */
  get requests(): readonly string[] {
    return this.#site.requests;
  }

  /** No proxy on the way and no limits, for measurements. */
  unbridle(): void {
    this.limits.off = true;
    this.world.site = `http://127.0.0.1:${this.#site.port}`;
  }

  /** Refuses requests as one too many, and says for how long. */
  limit(which: Which, seconds: number, times = 1): void {
    this.faults.answer(which, tooMany(seconds), times);
  }

  /** Refuses requests of a method with an error of its own. */
  refuse(method: string, error: string, times = 1): void {
    this.faults.answer({ path: `/${method}` }, { json: { ok: false, error } }, times);
  }

  /** The servers go and come back: what is stored stays, tickets and connections are lost. */
  async restart(down: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#site.restart(async () => {
      this.hub.forget();
      this.sockets.expireTickets();
      await down();
    });
  }

  /** The road breaks, and the server goes on taking the connections of Socket Mode for sound, until `sockets.see`. */
  cutUnseen(): void {
    this.sockets.blind = true;
    this.wire.cut();
  }

  async stop(): Promise<void> {
    await this.#site.stop();
    this.hub.forget();
  }

  #nameOf(pathname: string): string {
    return pathname.startsWith(this.#base) ? `/${pathname.slice(this.#base.length)}` : pathname;
  }

  async #answer(asked: Asked): Promise<Answer> {
    const { pathname } = asked.url;
    if (this.world.hooks.has(pathname) || pathname.startsWith("/services/")) {
      return incoming(this.world, this.messages, this.limits, asked);
    }
    if (pathname.startsWith("/upload/v1/") && asked.method === "POST") return await this.files.upload(asked);
    if (pathname.startsWith("/files-pri/")) return this.files.download(asked);
    if (pathname.startsWith(this.#base)) return await this.#call(pathname.slice(this.#base.length), asked);
    if (pathname.startsWith("/avatars/")) return { bytes: AVATAR, headers: { "content-type": "image/png" } };
    // Any other address of the site is a web page.
    return { bytes: "<!DOCTYPE html><html></html>", headers: { "content-type": "text/html; charset=utf-8" } };
  }

  /** Refusals are answers, and their status is 200. */
  async #call(name: string, asked: Asked): Promise<Answer> {
    const method = this.#methods[name];
    const isKnown = method !== undefined && (asked.method === "POST" || asked.method === "GET");
    if (!isKnown) return { json: { ok: false, error: "unknown_method", req_method: name } };
    let warnings: readonly string[] = [];
    const date = new Date(this.world.now()).toUTCString();
    let headers: Record<string, string> = { date };
    try {
      const { args, token, warnings: found } = await read(asked, method.json === true);
      warnings = found;
      headers = { ...this.#scopes(token, method), date };
      const app = entitled(this.world, token, method);
      const wait = this.limits.take(name, app.id, args.text("channel"));
      if (wait !== null) return tooMany(wait);
      return { json: warned({ ok: true, ...method.handler({ method: name, args, app }) }, warnings), headers };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { json: warned({ ok: false, error: error.message, ...error.more }, warnings), headers };
    }
  }

  /** Which scopes the token has, and which the method takes. */
  #scopes(token: string, { scopes, token: kind }: Method): Record<string, string> {
    const app = this.#appOf(token);
    if (app === undefined) return {};
    return { "x-oauth-scopes": provided(app, kind), "x-accepted-oauth-scopes": scopes.join(",") };
  }

  #appOf(token: string): AppRow | undefined {
    return [...this.world.apps.values()].find((app) => app.token === token || app.appToken === token);
  }

  #upgrade({ request, socket, head, url }: Handshake): Answer | null {
    if (url.pathname !== "/link/") return { status: 404, bytes: "" };
    return this.sockets.accept(request, socket, head, url);
  }
}

function tooMany(seconds: number): Answer {
  return { status: 429, headers: { "retry-after": String(seconds) }, json: { ok: false, error: "ratelimited" } };
}

function warned(json: Record<string, unknown>, warnings: readonly string[]): object {
  if (warnings.length === 0) return json;
  const metadata = json["response_metadata"];
  return {
    ...json,
    warning: warnings.join(","),
    response_metadata: { ...(typeof metadata === "object" && metadata), warnings },
  };
}
