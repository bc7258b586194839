import type { AdapterLog } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { lost, needsLogin, quote } from "./ends.ts";
import type { Link } from "./link.ts";
import { externalChunks, type Mechanism, plainChunks, takesMechanism } from "./sasl.ts";
import type { IrcSettings } from "./settings.ts";
import type { Line } from "./wire.ts";

type SaslSettings = Pick<IrcSettings, "UseSASL" | "NickServNick" | "NickServPassword" | "TLSClientCertificate">;

/**
 * Logging in by SASL (IRCv3 "SASL Authentication"): EXTERNAL with a client certificate, PLAIN with a password, the one after the other
 * when there are both. Without UseSASL a certificate is tried, and the connection goes on without it.
 */
export class SaslLogin {
  /** Whether the `sasl` capability is any use to us. */
  readonly wanted: boolean;
  /** Whether there is no going on without. */
  readonly required: boolean;
  loggedIn = false;
  readonly #link: Link;
  readonly #settings: SaslSettings;
  readonly #log: AdapterLog;
  #left: Mechanism[] = [];
  #trying: Mechanism | null = null;

  constructor(options: { readonly link: Link; readonly settings: SaslSettings; readonly log: AdapterLog }) {
    this.#link = options.link;
    this.#settings = options.settings;
    this.#log = options.log;
    this.required = options.settings.UseSASL;
    this.wanted = this.required || options.settings.TLSClientCertificate !== "";
  }

  /** Once capabilities are agreed on: the first mechanism, if there is one. */
  start(): "waiting" | "over" | Ended {
    const { NickServPassword, TLSClientCertificate, UseSASL } = this.#settings;
    const offered = this.#link.caps.offered.get("sasl") ?? "";
    const ours: Mechanism[] = [];
    if (TLSClientCertificate !== "") ours.push("EXTERNAL");
    if (UseSASL && NickServPassword !== "") ours.push("PLAIN");
    this.#left = this.#link.has("sasl") ? ours.filter((mechanism) => takesMechanism(offered, mechanism)) : [];
    if (this.#left.length === 0) return this.required ? this.missing() : "over";
    return this.#next();
  }

  take({ command, params }: Line): "waiting" | "over" | Ended {
    switch (command) {
      case "AUTHENTICATE":
        if (params[0] === "+") this.#answer();
        return "waiting";
      case "903":
      case "907":
        this.loggedIn = true;
        return "over";
      case "902":
      case "904":
      case "905":
      case "906":
        return this.#failed(params.at(-1) ?? "");
      default:
        return "waiting";
    }
  }

  /** The server has no login of the kind we need. Without any, its services may only be down just now. */
  missing(): Ended {
    const said = "the server offers no SASL login";
    if (this.#link.caps.offered.has("sasl")) {
      return needsLogin(`${said} that we can use; set UseSASL = false to log in by NickServ`);
    }
    return lost("remote_error", `${said}; its services may be down. If it has none, set UseSASL = false`);
  }

  #next(): "waiting" {
    this.#trying = this.#left.shift() ?? null;
    if (this.#trying !== null) this.#link.send("AUTHENTICATE", [this.#trying]);
    return "waiting";
  }

  #answer(): void {
    const { NickServNick, NickServPassword } = this.#settings;
    const chunks = this.#trying === "PLAIN" ? plainChunks(NickServNick, NickServPassword) : externalChunks();
    for (const chunk of chunks) this.#link.send("AUTHENTICATE", [chunk]);
  }

  #failed(text: string): "waiting" | "over" | Ended {
    const said = quote(text);
    this.#log.info({ mechanism: this.#trying, server: said }, "SASL login failed");
    if (this.#left.length > 0) return this.#next();
    if (!this.required) return "over";
    const check = this.#trying === "PLAIN" ? "NickServNick and NickServPassword" : "TLSClientCertificate";
    return needsLogin(`the server refuses our login: ${said}; check ${check}`);
  }
}
