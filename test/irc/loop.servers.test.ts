import { request } from "node:http";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { ExplainView, StatusView } from "../../src/admin/views.ts";
import { needs } from "../servers/installed.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import type { Rialto } from "../support/rialto.ts";
import { launch } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";
import { arrival, gateway } from "./world.ts";

const ROOMS = ["#left", "#right"] as const;
const PATIENCE_MS = 60_000;

/** Another bridge between the two rooms: it says in one what it hears in the other. */
class OtherBridge {
  /** Lines that others said. */
  heard = 0;
  readonly #socket: Socket;
  readonly #frame: (nick: string) => string;
  readonly #joined = Promise.withResolvers<void>();

  constructor(port: number, frame: (nick: string) => string) {
    this.#frame = frame;
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("error", () => undefined);
    onTestFinished(() => void this.#socket.destroy());
    createInterface({ input: this.#socket }).on("line", (line) => this.#take(line));
    this.#send("NICK other", "USER other 0 * :other");
  }

  get joined(): Promise<void> {
    return this.#joined.promise;
  }

  #take(line: string): void {
    const [, nick, command, room, text] = /^:([^ !]+)\S* (\S+) (\S+)(?: .*?)?(?: ?:(.*))?$/.exec(line) ?? [];
    if (line.startsWith("PING")) this.#send(line.replace("PING", "PONG"));
    else if (command === "001") this.#send(`JOIN ${ROOMS.join(",")}`);
    else if (command === "366") this.#joined.resolve();
    else if (command === "PRIVMSG" && nick !== undefined && text !== undefined) {
      this.heard += 1;
      this.#send(`PRIVMSG ${room === ROOMS[0] ? ROOMS[1] : ROOMS[0]} :${this.#frame(nick)}${text}`.slice(0, 400));
    }
  }

  #send(...lines: readonly string[]): void {
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(""));
  }
}

async function ask<T>(rialto: Rialto, question: string): Promise<T> {
  const answer = Promise.withResolvers<T>();
  const socketPath = path.join(rialto.dataPath, "rialto.sock");
  const asking = request({ socketPath, path: question }, (incoming) => {
    let body = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (piece: string) => (body += piece));
    incoming.on("end", () => answer.resolve(JSON.parse(body) as T));
  });
  asking.on("error", answer.reject);
  asking.end();
  return await answer.promise;
}

const loopOf = async (rialto: Rialto): Promise<StatusView["troubles"][number] | undefined> =>
  (await ask<StatusView>(rialto, "/api/v1/status")).troubles.find(({ what }) => what.startsWith("a loop"));

needs(["ngircd", "python3-irc"], () => {
  test.each([
    ["with names before what it carries", (nick: string) => `<${nick}> `],
    ["that carries the words alone", () => ""],
  ])("a loop through another bridge is broken, %s", { timeout: 4 * PATIENCE_MS }, async (_, frame) => {
    const server = await onStage(startNgircd());
    const [left, right] = ROOMS;
    const anna = await onStage(pythonPerson({ port: server.port, nick: "anna", channels: [left] }));
    const ben = await onStage(pythonPerson({ port: server.port, nick: "ben", channels: [right] }));
    const rialto = await launch({
      config: gateway({
        irc: {
          one: { port: server.port, channel: left, nick: "rialto" },
          two: { port: server.port, channel: right, nick: "rialto2" },
        },
        api: [],
      }),
    });
    await Promise.all([arrival(anna, left), arrival(ben, right, { by: "rialto2" })]);
    const other = new OtherBridge(server.port, frame);
    await other.joined;
    await anna.say(left, "round and round");
    const trouble = await eventually(
      async () => await loopOf(rialto),
      (found) => found !== undefined,
      () => `a loop in the status; ${other.heard} lines so far`,
      PATIENCE_MS,
    );
    expect(trouble).toMatchObject({ of: expect.stringMatching(/^irc\.(one #left|two #right)$/u) as string });
    expect(trouble?.what).toContain('"other" repeats what Rialto writes');
    // Others are heard, both ways.
    await anna.say(left, "unrelated");
    await ben.ears.untilText(right, "<anna> unrelated", PATIENCE_MS);
    await ben.say(right, "also unrelated");
    await anna.ears.untilText(left, "<ben> also unrelated", PATIENCE_MS);
    const lines = (heard: typeof anna, room: string): number =>
      heard.ears.in(room).filter(({ text }) => text.includes("round")).length;
    expect(lines(anna, left) + lines(ben, right)).toBeLessThan(100);
    const { stories } = await ask<ExplainView>(rialto, "/api/v1/explain?q=round%20and%20round");
    const withheld = stories.flatMap(({ destinations }) => destinations).find(({ state }) => state === "withheld");
    expect(withheld?.why).toMatch(/^withheld: a loop; .* IgnoreNicks/u);
  });

  test(
    "three accounts of ours in one room do not go on talking to each other",
    { timeout: 4 * PATIENCE_MS },
    async () => {
      const server = await onStage(startNgircd());
      const room = "#square";
      const anna = await onStage(pythonPerson({ port: server.port, nick: "anna", channels: [room] }));
      const names = ["one", "two", "three"];
      const accounts = names.map(
        (name) =>
          `[irc.${name}]\nServer = "127.0.0.1:${server.port}"\nNick = "bot${name}"\nMessageDelay = 0\nRemoteNickFormat = "<{NICK}> "\n`,
      );
      const list = names.map((name) => `"irc.${name}"`).join(", ");
      const rialto = await launch({
        config: `${accounts.join("")}[[samechannelgateway]]\nname = "g"\nenable = true\naccounts = [${list}]\nchannels = ["${room}"]\n`,
      });
      for (const name of names) await arrival(anna, room, { by: `bot${name}` });
      await anna.say(room, "hello");
      await eventually(
        async () => await loopOf(rialto),
        (found) => found !== undefined,
        () => `a loop in the status; ${anna.ears.in(room).length} lines so far`,
        PATIENCE_MS,
      );
      await anna.say(room, "unrelated");
      await anna.ears.untilText(room, "<anna> unrelated", PATIENCE_MS);
      expect(anna.ears.in(room).filter(({ text }) => text.includes("hello")).length).toBeLessThan(1_000);
    },
  );
});
