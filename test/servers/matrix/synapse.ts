import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { freePorts } from "../../support/ports.ts";
import { Child } from "../child.ts";
import { pathOf, SYNAPSE_ROOT } from "../installed.ts";

/** It imports half of Python when it starts, which takes a busy machine its time. */
const PATIENCE_MS = 90_000;

/** The name in all ids of the server. */
export const SERVER_NAME = "rialto.test";

export interface SynapseOptions {
  /** The text of an application service's registration. */
  readonly registration?: string;
  /** Messages a second that one user may send, and in one go; absent: as many as it can. */
  readonly messageRate?: { readonly perSecond: number; readonly burst: number };
  /** Most bytes of an uploaded file: "1M". */
  readonly uploadMax?: string;
  /** It forgets everything when it ends, and is twice as fast. */
  readonly forgetful?: boolean;
}

/** A real homeserver on loopback. */
export interface Synapse {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** SIGSTOP: the kernel goes on taking connections and bytes for it, but it answers nothing. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** SIGKILL; resolves when it is dead. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; resolves when it is over. */
  readonly halt: () => Promise<void>;
  /** Starts it again on the same port with what it had stored; resolves when it answers. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes its folder. */
  readonly stop: () => Promise<void>;
  readonly log: () => string;
}

/** Starts Synapse inside the folder that holds it and all it needs; its own folder must be in there, too. */
export async function startSynapse(options: SynapseOptions = {}): Promise<Synapse> {
  const program = pathOf("synapse");
  await mkdir(path.join(SYNAPSE_ROOT, "srv"), { recursive: true });
  const folder = await mkdtemp(path.join(SYNAPSE_ROOT, "srv/rialto-test-"));
  const inside = `/srv/${path.basename(folder)}`;
  const [port = 0] = await freePorts(1);
  const configuration = `${inside}/homeserver.yaml`;
  await writeFile(path.join(folder, "homeserver.yaml"), homeserver(inside, port, options));
  await writeFile(path.join(folder, "log.yaml"), LOGGING);
  // As `--generate-keys` writes it, which would load all of Synapse once more.
  const seed = randomBytes(32).toString("base64").replaceAll("=", "");
  await writeFile(path.join(folder, "signing.key"), `ed25519 a_test ${seed}\n`);
  if (options.registration !== undefined) await writeFile(path.join(folder, "service.yaml"), options.registration);
  const command = ["chroot", SYNAPSE_ROOT, program, "-m", "synapse.app.homeserver", "-c", configuration] as const;
  const lives: Child[] = [];
  const start = async (): Promise<void> => {
    const child = new Child({ command });
    lives.push(child);
    for (const begun = Date.now(); !child.over && !(await answers(port));) {
      if (Date.now() - begun > PATIENCE_MS) throw new Error(`Synapse does not answer; it printed:\n${child.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (child.over) throw new Error(`Synapse did not start; it printed:\n${child.output}`);
  };
  const last = (): Child | undefined => lives.at(-1);
  const stop = async (): Promise<void> => {
    await last()?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name: "synapse",
    port,
    url: `http://127.0.0.1:${port}`,
    pause: () => last()?.signal("SIGSTOP"),
    resume: () => last()?.signal("SIGCONT"),
    kill: async () => void (await last()?.kill9()),
    halt: async () => void (await last()?.stop()),
    restart: async () => {
      await last()?.kill9();
      await start();
    },
    stop,
    log: () => lives.map((life) => life.output).join("--- started again\n"),
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/_matrix/client/versions`, {
      signal: AbortSignal.timeout(3_000),
    });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

// What nothing here asks for is switched off, because Synapse computes it for each event: statistics, the directory of
// users (which is left to a worker that does not run) and notifications.
const MANY = "{per_second: 10000, burst_count: 10000}";

function homeserver(
  inside: string,
  port: number,
  { registration, messageRate, uploadMax = "50M", forgetful = false }: SynapseOptions,
): string {
  const rate =
    messageRate === undefined ? MANY : `{per_second: ${messageRate.perSecond}, burst_count: ${messageRate.burst}}`;
  return `server_name: ${SERVER_NAME}
public_baseurl: http://127.0.0.1:${port}/
listeners:
  - {port: ${port}, type: http, tls: false, bind_addresses: ["127.0.0.1"], resources: [{names: [client], compress: false}]}
database: {name: sqlite3, args: {database: "${forgetful ? ":memory:" : `${inside}/homeserver.db`}"}}
media_store_path: ${inside}/media
signing_key_path: ${inside}/signing.key
log_config: ${inside}/log.yaml
trusted_key_servers: []
federation_domain_whitelist: []
suppress_key_server_warning: true
report_stats: false
url_preview_enabled: false
presence: {enabled: false}
stats: {enabled: false}
update_user_directory_from_worker: none
push: {enabled: false}
bcrypt_rounds: 4
max_upload_size: ${uploadMax}
enable_registration: true
enable_registration_without_verification: true
macaroon_secret_key: only-for-tests
form_secret: only-for-tests
app_service_config_files: ${registration === undefined ? "[]" : `["${inside}/service.yaml"]`}
rc_message: ${rate}
rc_registration: ${MANY}
rc_login: {address: ${MANY}, account: ${MANY}, failed_attempts: ${MANY}}
rc_joins: {local: ${MANY}, remote: ${MANY}}
rc_joins_per_room: ${MANY}
rc_room_creation: ${MANY}
rc_media_create: ${MANY}
rc_invites: {per_room: ${MANY}, per_user: ${MANY}, per_issuer: ${MANY}}
`;
}

const LOGGING = `version: 1
formatters: {line: {format: "%(levelname)s %(name)s %(message)s"}}
handlers: {console: {class: logging.StreamHandler, formatter: line}}
root: {level: WARNING, handlers: [console]}
disable_existing_loggers: false
`;
