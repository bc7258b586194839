import { onTestFinished } from "vitest";
import { manifestText } from "../../src/adapters/slack/town.suite.ts";
import type { Network, Side, Standing } from "../hosted/network.ts";
import { byTs } from "../servers/slack/clock.ts";
import { emojiName, emojiOf } from "../servers/slack/emoji.ts";
import { addPerson, type Folk, install } from "../servers/slack/people.ts";
import { seen } from "../servers/slack/seen.ts";
import { FakeSlack } from "../servers/slack/server.ts";
import type { AppRow, ChannelRow, MessageRow, TeamRow } from "../servers/slack/wire.ts";

const POST = "chat.postMessage";

/** With the right to speak under names of others, or without. */
type Mode = "names" | "prefix";

export class SlackSide implements Side {
  readonly server: FakeSlack;
  readonly team: TeamRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
  readonly asks = {
    post: { method: "POST", path: /^\/chat\.postMessage$/u },
    edit: { method: "POST", path: /^\/chat\.update$/u },
    delete: { method: "POST", path: /^\/chat\.delete$/u },
    react: { method: "POST", path: /^\/reactions\.add$/u },
    file: { method: "POST", path: /^\/files\.completeUploadExternal$/u },
    history: { method: "POST", path: /^\/conversations\.history$/u },
  };
  readonly #mode: Mode;

  constructor(server: FakeSlack, mode: Mode) {
    this.server = server;
    this.#mode = mode;
    this.team = server.world.addTeam("Crew");
    this.alice = addPerson(server, this.team, "alice");
    this.channel = server.world.addChannel(this.team.id, "town", this.alice.id);
    this.app = install(server, this.team, "rialto", [this.channel], manifestText());
    if (mode === "prefix") this.app.scopes.delete("chat:write.customize");
  }

  get port(): number {
    return this.server.port;
  }

  get settings(): string {
    return `ApiURL = "${this.server.url}"
Token = "${this.secret}"
AppToken = "${this.app.appToken}"
RemoteNickFormat = "${this.#mode === "names" ? "{NICK}" : "<{NICK}> "}"`;
  }

  get secret(): string {
    return this.app.token;
  }

  standing(): readonly Standing[] {
    return [...this.channel.messages.values()]
      .filter(({ wire }) => wire.app_id === this.app.id)
      .sort((one, other) => byTs(one.wire, other.wire))
      .map(standingOf);
  }

  async say(text: string): Promise<string> {
    return await Promise.resolve(this.alice.say(this.channel, text).wire.ts);
  }

  async reply(to: string, text: string): Promise<void> {
    await Promise.resolve(this.alice.say(this.channel, text, { thread: this.#row(to) }));
  }

  edit(id: string, text: string): void {
    this.alice.edit(this.#row(id), text);
  }

  erase(id: string): void {
    this.alice.erase(this.#row(id));
  }

  react(id: string, emoji: string): void {
    this.alice.react(this.#row(id), emojiName(emoji));
  }

  /** The one that is cut is still counted. */
  isBack(): boolean {
    return this.server.sockets.count(this.app) > 1;
  }

  forget(): void {
    this.server.hub.forget();
  }

  /** There are none. */
  forgetKeys(): void {}

  /** As many as come: once there were too many, Rialto posts one a second for a minute (`limits.process.test.ts`). */
  allow(): void {
    this.server.limits.set(POST, Infinity, 1);
  }

  refuse(which: Parameters<Side["refuse"]>[0], seconds: number, times: number): void {
    this.server.limit(which, Math.ceil(seconds), times);
  }

  refused(): number {
    return this.server.limits.refused;
  }

  free(): void {
    this.server.limits.off = true;
    this.server.faults.clear();
  }

  #row(ts: string): MessageRow {
    return this.server.world.message(this.channel.id, ts);
  }
}

/** In `text` there is no name of whoever said it, and no white space at the ends, which nobody sees. */
function standingOf({ wire, reactions, files }: MessageRow): Standing {
  return {
    id: wire.ts,
    text: seen(wire, (user) => user)
      .replace(/^<\w+> /u, "")
      .trim(),
    answers: wire.thread_ts === undefined || wire.thread_ts === wire.ts ? "" : wire.thread_ts,
    reactions: reactions.flatMap(({ name, users }) => Array.from(users, () => emojiOf(name))),
    files: files.length,
  };
}

export const slack: Network<SlackSide> = {
  protocol: "slack",
  modes: ["names", "prefix"],
  textMax: 4_000,
  // A minute at one post a second, and what was to be posted meanwhile.
  patienceMs: 150_000,
  found: async (mode, atEnd = onTestFinished) => {
    const server = await FakeSlack.start();
    atEnd(async () => await server.stop());
    return new SlackSide(server, mode === "prefix" ? "prefix" : "names");
  },
};
