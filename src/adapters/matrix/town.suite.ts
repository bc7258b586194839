import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { plainBody, wordsOf } from "../../../test/contract/texts.ts";
import { SERVER_NAME, startSynapse, type Synapse, type SynapseOptions } from "../../../test/servers/matrix/synapse.ts";
import { NioPeople, type NioPerson } from "../../../test/servers/people/nio.ts";
import type { ChannelRef, Cursor, OpId } from "../../contract/ids.ts";
import type { OpAuthor, PostOp } from "../../contract/ops.ts";
import type { Joined, Session } from "../../contract/session.ts";
import { adapter } from "./index.ts";
import { matrixSettings } from "./settings.suite.ts";
import type { MatrixSettings } from "./settings.ts";

/** Synapse takes its time to start on a busy machine. */
export const START_MS = 120_000;
const PATIENCE_MS = 15_000;

export const ALICE: OpAuthor = { id: "irc-alice", name: "alice", shown: "<alice> ", avatar: null, account: "irc" };

/** A homeserver, people on it, and sessions of the adapter without the core. */
export class Town {
  readonly synapse: Synapse;
  readonly #people: NioPeople;
  readonly #open: Session[] = [];
  #count = 0;

  private constructor(synapse: Synapse) {
    this.synapse = synapse;
    this.#people = new NioPeople(synapse.url);
  }

  static async start(options: SynapseOptions): Promise<Town> {
    return new Town(await startSynapse(options));
  }

  async stop(): Promise<void> {
    for (const one of this.#open) await one.close(AbortSignal.timeout(1_000));
    await this.#people.stop();
    await this.synapse.stop();
  }

  /** Somebody nobody has seen. */
  async person(): Promise<NioPerson> {
    this.#count += 1;
    return await this.#people.person(`person${this.#count}`);
  }

  /** Settings of an account whose user is new. */
  async bot(
    given: Partial<MatrixSettings> = {},
  ): Promise<{ readonly name: string; readonly settings: MatrixSettings }> {
    this.#count += 1;
    const name = `bot${this.#count}`;
    await (await this.#people.person(name, { password: "secret", deaf: true })).ask("quit");
    return { name: `@${name}:${SERVER_NAME}`, settings: this.settings({ Login: name, Password: "secret", ...given }) };
  }

  settings(given: Partial<MatrixSettings>): MatrixSettings {
    return matrixSettings({ Server: this.synapse.url, ...given });
  }

  async session(
    settings: MatrixSettings,
    since: Cursor | null = null,
  ): Promise<{ live: Session; host: RecordingHost }> {
    const host = new RecordingHost();
    const code = await adapter.load();
    const opened = await code.open({ settings, host, since, signal: new AbortController().signal });
    if (!opened.ok) throw new Error(opened.ended.why.message);
    this.#open.push(opened.session);
    return { live: opened.session, host };
  }
}

export async function join(live: Session, name: string): Promise<Joined> {
  return await live.join({ name, options: {} }, new AbortController().signal);
}

export async function joined(live: Session, name: string): Promise<ChannelRef> {
  const result = await join(live, name);
  if (!result.ok) throw new Error(result.why.message);
  return result.ref;
}

export function post(channel: ChannelRef, id: string, text: string, more: Partial<PostOp> = {}): PostOp {
  return {
    kind: "post",
    id: id as OpId,
    channel,
    attempt: 1,
    author: ALICE,
    body: plainBody(text),
    reply: null,
    thread: null,
    mayPing: { users: false, everyone: false },
    resume: null,
    ...more,
  };
}

export async function send(user: NioPerson, room: unknown, body: string): Promise<string> {
  return String(await user.ask("send", { room, type: "m.room.message", content: { msgtype: "m.text", body } }));
}

/** What people have said, as far as the host was told. */
export function said(host: RecordingHost): readonly string[] {
  return host.posted.map(({ body }) => wordsOf(body));
}

/** Waits until the question is answered with something else than nothing. */
export async function until<T>(ask: () => T | null | undefined | false, what: string): Promise<T> {
  for (const begun = Date.now(); ;) {
    const answer = ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (Date.now() - begun > PATIENCE_MS) throw new Error(`waited ${PATIENCE_MS} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
