import type { Host } from "../../../contract/host.ts";
import { quote } from "../quote.ts";
import { pause } from "../../kit/in-time.ts";
import type { ConnectionContext } from "../link.ts";
import type { IrcSettings } from "../settings.ts";
import { METADATA } from "../wire/caps.ts";
import type { IrcLine } from "../wire/wire.ts";

const COMMAND_PAUSE_MS = 1000;
/** A service that does not answer is not waited for. */
const SERVICE_MS = 5000;
/** After so many of RunCommands channels are joined, and the rest continues beside that. */
const COMMANDS_FIRST = 10;
/** What services say to everybody who comes under a registered nick, before they have read our password. */
const GREETING = /\bregistered\b|\bowned by\b|\bidentify\b|\bchoose (?:a|an)other\b|\/msg /iu;
const QUAKENET = "q@cserve.quakenet.org";

type LoginSettings = Pick<
  IrcSettings,
  "UseSASL" | "NickServNick" | "NickServPassword" | "NickServUsername" | "RunCommands"
>;

/** What is done once we are in and before channels are joined: bot mode, the password to NickServ, RunCommands. */
export class Login {
  readonly #link: ConnectionContext;
  readonly #settings: LoginSettings;
  readonly #clock: Host["clock"];
  readonly #log: Host["log"];
  readonly #over = Promise.withResolvers<void>();
  #answered: (() => void) | null = null;
  #stopped = false;

  constructor(options: {
    readonly link: ConnectionContext;
    readonly settings: LoginSettings;
    readonly host: Pick<Host, "clock" | "log">;
  }) {
    this.#link = options.link;
    this.#settings = options.settings;
    this.#clock = options.host.clock;
    this.#log = options.host.log;
  }

  /** Resolves when channels can be joined. */
  async run(): Promise<void> {
    const { bot } = this.#link.isupport;
    // So that we learn our own address, as long as it counts in the length of a line (RFC 2812 §4.8).
    this.#link.send("USERHOST", [this.#link.nick]);
    if (bot !== null) this.#link.send("MODE", [this.#link.nick, `+${bot}`]);
    if (METADATA.some((name) => this.#link.has(name)))
      this.#link.send("METADATA", ["*", "SUB", "avatar", "display-name"]);
    await this.#identify();
    const commands = this.#settings.RunCommands;
    await this.#commands(commands.slice(0, COMMANDS_FIRST));
    void this.#commands(commands.slice(COMMANDS_FIRST));
  }

  /** A service that answers ends the wait for it; what it says is the only sign of a wrong password. */
  take({ command, source, params }: IrcLine): void {
    if (this.#answered === null) return;
    const { NickServNick } = this.#settings;
    const service = NickServNick.split("@")[0] ?? "";
    if (command === "NOTICE" && source !== null && this.#link.key(source.nick) === this.#link.key(service)) {
      const says = quote(params.at(-1) ?? "");
      this.#log.info({ service, says }, "the service answered the login");
      if (GREETING.test(says)) return;
    } else if (command === "401" && [NickServNick, service].includes(params[1] ?? "")) {
      this.#log.warn({ service }, "there is no service of this name to log in to; check NickServNick");
    } else if (command !== "900") {
      return;
    }
    this.#answered();
  }

  stop(): void {
    this.#stopped = true;
    this.#over.resolve();
  }

  async #identify(): Promise<void> {
    const { UseSASL, NickServNick, NickServPassword, NickServUsername } = this.#settings;
    if (UseSASL || NickServNick === "" || NickServPassword === "") return;
    const verb = NickServNick.toLowerCase() === QUAKENET ? "AUTH" : "IDENTIFY";
    const words = [verb, NickServUsername, NickServPassword].filter((word) => word !== "");
    const answer = new Promise<void>((resolve) => {
      this.#answered = resolve;
    });
    this.#link.send("PRIVMSG", [NickServNick, words.join(" ")]);
    await this.#pause(SERVICE_MS, answer);
    this.#answered = null;
  }

  async #commands(commands: readonly string[]): Promise<void> {
    for (const command of commands) {
      if (this.#stopped) return;
      this.#link.sendRaw(command.replaceAll("{BOTNICK}", () => this.#link.nick));
      await this.#pause(COMMAND_PAUSE_MS);
    }
  }

  async #pause(ms: number, sooner: Promise<void> = this.#over.promise): Promise<void> {
    await pause(ms, this.#clock, Promise.race([sooner, this.#over.promise]));
  }
}
