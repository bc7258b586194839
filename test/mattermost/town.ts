import { onTestFinished } from "vitest";
import type { Network, Side, Standing } from "../hosted/network.ts";
import { addBot, addPerson, type Folk } from "../servers/mattermost/people.ts";
import { FakeMattermost } from "../servers/mattermost/server.ts";
import type { PostRow, ServerChannel, WirePost } from "../servers/mattermost/wire.ts";

/** How long the server keeps the key of a post. */
const KEYS_MS = 31_000;

/** What alice's client calls emoji, and what Rialto does. */
const OF_ALICE: Readonly<Record<string, string>> = { "👍": "thumbsup", "❤️": "heart" };
const OURS: Readonly<Record<string, string>> = { "+1": "👍" };

class MattermostSide implements Side {
  readonly server: FakeMattermost;
  readonly channel: ServerChannel;
  readonly alice: Folk;
  readonly bot: Folk;
  readonly secret: string;
  readonly asks = {
    post: { method: "POST", path: /^\/posts$/u },
    edit: { method: "PUT", path: /^\/posts\//u },
    delete: { method: "DELETE", path: /^\/posts\//u },
    react: { method: "POST", path: /^\/reactions$/u },
    file: { method: "POST", path: /^\/files$/u },
    history: { method: "GET", path: /^\/channels\/[^/]+\/posts$/u },
  };

  constructor(server: FakeMattermost) {
    this.server = server;
    const team = server.world.addTeam("team");
    this.channel = server.world.addChannel(team.id, "town");
    this.alice = addPerson(server, team, "alice");
    this.bot = addBot(server, team, "rialto");
    this.alice.enter(this.channel);
    this.bot.enter(this.channel);
    this.secret = this.bot.token();
  }

  get port(): number {
    return Number(this.server.directAddress.split(":")[1]);
  }

  get settings(): string {
    return `Server = "${this.server.address}"
NoTLS = true
Team = "team"
Token = "${this.secret}"
RemoteNickFormat = "{NICK}"`;
  }

  standing(): readonly Standing[] {
    const { posts, reactions } = this.server.world;
    const isOurs = (row: PostRow): boolean => row.channel_id === this.channel.id && row.user_id === this.bot.id;
    return [...posts.values()]
      .filter((row) => isOurs(row) && row.delete_at === 0 && row.original_id === "" && row.type === "")
      .map((row) => ({
        id: row.id,
        text: row.message,
        answers: row.root_id,
        reactions: (reactions.get(row.id) ?? []).map(({ emoji_name: name }) => OURS[name] ?? name),
        files: row.file_ids?.length ?? 0,
      }));
  }

  /** Of one moment, servers keep no order. */
  async say(text: string): Promise<string> {
    this.server.world.clock.pass(1);
    return (await this.alice.say(this.channel, text)).id;
  }

  async reply(to: string, text: string): Promise<void> {
    this.server.world.clock.pass(1);
    await this.alice.reply(this.#post(to), text);
  }

  edit(id: string, text: string): void {
    this.alice.edit(id, text);
  }

  erase(id: string): void {
    this.alice.erase(id);
  }

  react(id: string, emoji: string): void {
    this.alice.react(id, OF_ALICE[emoji] ?? emoji);
  }

  isBack(): boolean {
    return this.server.sockets.count > 0;
  }

  forget(): void {
    this.server.world.hub.forget();
  }

  forgetKeys(): void {
    this.server.world.clock.pass(KEYS_MS);
  }

  /** There is no limit that is not asked for. */
  allow(): void {}

  refuse(which: { readonly method?: string; readonly path?: RegExp }, seconds: number, times: number): void {
    this.server.faults.limit(which, seconds, times);
  }

  refused(): number {
    return this.server.faults.limiterRefused;
  }

  free(): void {
    this.server.faults.clear();
  }

  #post(id: string): WirePost {
    const row = this.server.world.posts.get(id);
    if (row === undefined) throw new Error("there is no such post");
    return this.server.posts.shelf.show(row);
  }
}

export const mattermost: Network<MattermostSide> = {
  protocol: "mattermost",
  modes: ["bot"],
  textMax: 16_383,
  found: async (_, atEnd = onTestFinished) => {
    const server = await FakeMattermost.start();
    atEnd(async () => await server.stop());
    return new MattermostSide(server);
  },
};
