import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";

const CHUNK = 64 * 1024;

export interface Uploaded {
  readonly name: string;
  readonly mxc: string;
  readonly bytes: number;
  /** Lower-case hex, of the content. */
  readonly sha256: string;
}

/** Somebody on a homeserver who shares large files, which are made up on the way. */
export class MatrixSharer {
  readonly #server: string;
  readonly #token: string;

  private constructor(server: string, token: string) {
    this.#server = server;
    this.#token = token;
  }

  static async register(server: string, username: string, password: string): Promise<MatrixSharer> {
    const body = JSON.stringify({ username, password, auth: { type: "m.login.dummy" } });
    const answer = await fetch(`${server}/_matrix/client/v3/register`, { method: "POST", body });
    return new MatrixSharer(server, await field(answer, "access_token"));
  }

  /** A room that everybody may enter, by this alias; resolves to its id. */
  async create(alias: string): Promise<string> {
    return await field(
      await this.#post("POST", "createRoom", { room_alias_name: alias, preset: "public_chat" }),
      "room_id",
    );
  }

  async upload(name: string, bytes: number): Promise<Uploaded> {
    const hash = createHash("sha256");
    const path = `${this.#server}/_matrix/media/v3/upload?filename=${name}`;
    const headers = {
      authorization: `Bearer ${this.#token}`,
      "content-type": "application/octet-stream",
      "content-length": bytes,
    };
    const outgoing = request(path, { method: "POST", headers });
    const answered = once(outgoing, "response") as Promise<[AsyncIterable<Buffer>]>;
    for (let sent = 0; sent < bytes; sent += CHUNK) {
      const chunk = Buffer.alloc(Math.min(CHUNK, bytes - sent), (sent / CHUNK) % 251);
      hash.update(chunk);
      if (!outgoing.write(chunk)) await once(outgoing, "drain");
    }
    outgoing.end();
    const [incoming] = await answered;
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const { content_uri: mxc } = JSON.parse(Buffer.concat(parts).toString()) as { readonly content_uri?: string };
    if (mxc === undefined) throw new Error(`the homeserver does not take the file: ${Buffer.concat(parts).toString()}`);
    return { name, mxc, bytes, sha256: hash.digest("hex") };
  }

  async share(room: string, { name, mxc, bytes }: Uploaded): Promise<void> {
    const info = { mimetype: "application/octet-stream", size: bytes };
    const path = `rooms/${encodeURIComponent(room)}/send/m.room.message/${crypto.randomUUID()}`;
    await field(await this.#post("PUT", path, { msgtype: "m.file", body: name, url: mxc, info }), "event_id");
  }

  async #post(method: "POST" | "PUT", path: string, body: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}` };
    return await fetch(`${this.#server}/_matrix/client/v3/${path}`, { method, headers, body: JSON.stringify(body) });
  }
}

async function field(answer: Response, name: string): Promise<string> {
  const all = (await answer.json()) as Readonly<Record<string, unknown>>;
  const value = all[name];
  if (typeof value !== "string") throw new Error(`the homeserver answers ${JSON.stringify(all)}`);
  return value;
}
