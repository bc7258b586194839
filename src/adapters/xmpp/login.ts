import { randomBytes } from "node:crypto";
import { type ScramFinal, scramFinal, scramProves, type ScramStart, scramStart } from "../../lib/scram.ts";

export interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly anonymous: boolean;
  /** The only one to use, or empty. */
  readonly mechanism: string;
  readonly noPlain: boolean;
  /** The password itself may be sent without TLS. */
  readonly plainInClear: boolean;
}

export type Choice =
  | { readonly ok: true; readonly mechanism: string }
  | { readonly ok: false; readonly message: string };

/** The best mechanism that both have. The password itself is sent only over TLS, or where the settings allow it or name PLAIN. */
export function chooseMechanism(offered: readonly string[], credentials: Credentials, secure: boolean): Choice {
  const { anonymous, mechanism, noPlain, plainInClear } = credentials;
  const mayPlain = !noPlain && (secure || plainInClear || mechanism === "PLAIN");
  const ours = anonymous ? ["ANONYMOUS"] : ["SCRAM-SHA-256", "SCRAM-SHA-1", ...(mayPlain ? ["PLAIN"] : [])];
  const wanted = mechanism === "" ? ours : ours.filter((name) => name === mechanism);
  const found = wanted.find((name) => offered.includes(name));
  if (found !== undefined) return { ok: true, mechanism: found };
  const has = `the server offers ${offered.length === 0 ? "no way to log in" : offered.slice(0, 16).join(", ")}`;
  if (anonymous) return { ok: false, message: `${has}, but not ANONYMOUS; set Jid and Password of an account` };
  if (mechanism !== "") return { ok: false, message: `${has}, but not ${mechanism}; change Mechanism` };
  if (!offered.includes("PLAIN")) return { ok: false, message: `${has}, none of which Rialto supports` };
  const remedy = noPlain ? "remove NoPLAIN" : 'use TLS, or set Mechanism = "PLAIN" if nobody on the way can read it';
  return { ok: false, message: `${has}, but Rialto does not use PLAIN here; ${remedy}` };
}

/** A mechanism as the library's factory makes them (`saslmechanisms`): asked for a response, then given the challenge, then asked again. */
interface Mechanism {
  readonly name: string;
  readonly clientFirst: boolean;
  response(credentials: { readonly username: string; readonly password: string }): string | Promise<string>;
  challenge(text: string): void;
}

const SCRAM = { "SCRAM-SHA-256": "sha256", "SCRAM-SHA-1": "sha1" } as const;

type ScramName = keyof typeof SCRAM;

/** Whether the server's last message proves that it knows the password as well. */
export type ServerProof = (message: string) => boolean;

/**
 * The library makes Base64 of a text by taking each character for a byte, and the other way round: what crosses is the bytes of UTF-8
 * (RFC 4616 §2, RFC 5802 §2.2), so these stand in the text.
 */
const toBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const fromBytes = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");

/** PLAIN (RFC 4616) for names and passwords in any letters: the library's own fails on those outside Latin-1, and is wrong on the rest. */
export class PlainMechanism implements Mechanism {
  readonly name: string = "PLAIN";
  readonly clientFirst: boolean = true;

  response({ username, password }: { readonly username: string; readonly password: string }): string {
    return toBytes(`\0${username}\0${password}`);
  }

  challenge(): void {}
}

/** SCRAM by the system's cryptography: the library's own takes a second of the processor, and does not look at the server's proof. */
export function scramMechanism(name: ScramName, onBegin: (proof: ServerProof) => void): new () => Mechanism {
  return class implements Mechanism {
    readonly name: string = name;
    readonly clientFirst: boolean = true;
    #start: ScramStart | null = null;
    #final: ScramFinal | null = null;
    #challenge = "";

    response({
      username,
      password,
    }: {
      readonly username: string;
      readonly password: string;
    }): string | Promise<string> {
      if (this.#start !== null) return this.#answer(this.#start, password);
      this.#start = scramStart(SCRAM[name], username, randomBytes(18).toString("base64"));
      onBegin((message) => this.#final !== null && scramProves(this.#final, message));
      return toBytes(this.#start.message);
    }

    async #answer(start: ScramStart, password: string): Promise<string> {
      this.#final = await scramFinal(start, this.#challenge, password);
      if (this.#final === null) throw new Error("the server's challenge cannot be answered");
      return toBytes(this.#final.message);
    }

    challenge(text: string): void {
      this.#challenge = fromBytes(text);
    }
  };
}
