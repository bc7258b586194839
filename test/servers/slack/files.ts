import type {
  FilesCompleteUploadExternalResponse,
  FilesDeleteResponse,
  FilesGetUploadURLExternalResponse,
  FilesInfoResponse,
} from "@slack/web-api";
import type { Answer } from "../site/answer.ts";
import type { Asked } from "../site/site.ts";
import { readBlocks } from "./blocks.ts";
import { newId, newSecret } from "./clock.ts";
import type { Messages } from "./messages.ts";
import { target } from "./methods-chat.ts";
import { bearerOf, type Call, formOf, type Methods } from "./requests.ts";
import { bareFile } from "./show.ts";
import { type Answered, type FileRow, isRecord, no, textOf, type Upload, type WireFile } from "./wire.ts";
import type { World } from "./world.ts";

/** A place that was made for a file. */
interface Slot {
  readonly id: string;
  readonly app: string;
  readonly name: string;
  readonly length: number;
  content: Uint8Array | null;
}

/** Files of the team: sent in three steps, given to whoever has a token that may read them. */
export class Files {
  readonly #world: World;
  readonly #messages: Messages;
  /** By the secret in the address. */
  readonly #slots = new Map<string, Slot>();
  /** So many requests for a file do not say yet where it is shared: that is done after the answer. */
  lateShares = 0;

  constructor(world: World, messages: Messages) {
    this.#world = world;
    this.#messages = messages;
  }

  /** A file of somebody, which stands in no message yet. */
  store(user: string, team: string, upload: Upload, id = newId("F")): FileRow {
    const { name, content, mime = mimeOf(name), title = name } = upload;
    const site = `${this.#world.site}/files-pri/${team}-${id}`;
    const safe = encodeURIComponent(name.toLowerCase().replaceAll(/\s+/g, "_"));
    const wire: WireFile = {
      id,
      created: this.#world.clock.seconds(),
      timestamp: this.#world.clock.seconds(),
      name,
      title,
      mimetype: mime,
      filetype: /\.(\w+)$/.exec(name)?.[1] ?? "binary",
      pretty_type: "Binary",
      user,
      user_team: team,
      editable: false,
      size: content.length,
      mode: "hosted",
      is_external: false,
      external_type: "",
      is_public: true,
      public_url_shared: false,
      display_as_bot: false,
      username: "",
      url_private: `${site}/${safe}`,
      url_private_download: `${site}/download/${safe}`,
      permalink: `https://${this.#world.team(team).domain}.slack.com/files/${user}/${id}/${safe}`,
      channels: [],
      groups: [],
      ims: [],
      has_rich_preview: false,
      is_starred: false,
      file_access: "visible",
    };
    const row = { wire, content, user };
    this.#world.files.set(id, row);
    return row;
  }

  get methods(): Methods {
    return {
      "files.getUploadURLExternal": { scopes: ["files:write"], handler: (call) => this.#begin(call) },
      "files.completeUploadExternal": { scopes: ["files:write"], json: true, handler: (call) => this.#complete(call) },
      "files.info": {
        scopes: ["files:read"],
        handler: ({ args }) => {
          const row = this.#world.files.get(args.need("file", "file_not_found"));
          if (row === undefined) throw no("file_not_found");
          const file = this.lateShares > 0 ? bareFile(row) : row.wire;
          if (this.lateShares > 0) this.lateShares -= 1;
          return { file, comments: [] } satisfies Answered<FilesInfoResponse>;
        },
      },
      "files.delete": {
        scopes: ["files:write"],
        json: true,
        handler: ({ args, app }) => {
          const row = this.#world.files.get(args.need("file", "file_not_found"));
          if (row === undefined) throw no("file_not_found");
          if (row.user !== app.user.id) throw no("cant_delete_file");
          this.#messages.loseFile(row.wire.id);
          return {} satisfies Answered<FilesDeleteResponse>;
        },
      },
    };
  }

  /** Takes the bytes of a file: as they are, or in a form. */
  async upload({ url, headers, raw }: Asked): Promise<Answer> {
    const slot = this.#slots.get(url.pathname.split("/").at(-1) ?? "");
    if (slot === undefined) return { status: 404, bytes: "" };
    const type = headers["content-type"] ?? "";
    let content: Uint8Array = raw;
    if (type.startsWith("multipart/form-data")) {
      const given = Object.values(await formOf(raw, type)).find((value) => value instanceof Blob);
      if (given === undefined) return { status: 400, bytes: "" };
      content = new Uint8Array(await given.arrayBuffer());
    }
    if (content.length !== slot.length) return { status: 400, bytes: "" };
    slot.content = content;
    return { bytes: `OK - ${content.length}`, headers: { "content-type": "text/plain" } };
  }

  /** Whoever may not have a file is sent to the page where people log in, which is no error. */
  download({ url, headers }: Asked): Answer {
    const [, team = "", id = ""] = /^\/files-pri\/(T[A-Z0-9]+)-(F[A-Z0-9]+)\//.exec(url.pathname) ?? [];
    const token = bearerOf(headers);
    const app = [...this.#world.apps.values()].find((one) => one.token === token);
    const may = app !== undefined && app.revoked === null && app.scopes.has("files:read") && this.#sees(app.team, id);
    if (!may) return { status: 302, headers: { location: `${this.#world.site}/?redir=${url.pathname}` }, bytes: "" };
    const row = this.#world.files.get(id);
    if (row === undefined || row.wire.user_team !== team || row.wire.mode !== "hosted") {
      return { status: 404, bytes: "<html><body>Not found</body></html>", headers: { "content-type": "text/html" } };
    }
    return { bytes: row.content, headers: { "content-type": row.wire.mimetype ?? "application/octet-stream" } };
  }

  /** Files of other teams are seen where they are shared in a channel of both. */
  #sees(team: string, id: string): boolean {
    const row = this.#world.files.get(id);
    if (row === undefined || row.wire.user_team === team) return true;
    const where = [...(row.wire.channels ?? []), ...(row.wire.groups ?? [])];
    return where.some((id) => {
      const channel = this.#world.channels.get(id);
      return channel !== undefined && (channel.team === team || channel.others.has(team));
    });
  }

  #begin({ args, app }: Call): object {
    const name = args.need("filename");
    const length = Number(args.need("length"));
    if (!Number.isInteger(length) || length <= 0) throw no("invalid_arguments");
    if (length > this.#world.maxFile) throw no("file_upload_size_restricted");
    const secret = newSecret(60);
    const id = newId("F");
    this.#slots.set(secret, { id, app: app.id, name, length, content: null });
    const url = `${this.#world.site}/upload/v1/${secret}`;
    return { upload_url: url, file_id: id } satisfies Answered<FilesGetUploadURLExternalResponse>;
  }

  #complete({ args, app }: Call): object {
    const given = args.value("files", "invalid_arguments");
    if (!Array.isArray(given) || given.length === 0 || !given.every(isRecord)) throw no("invalid_arguments");
    const slots = given.map((one) => {
      const found = [...this.#slots].find(([, { id, app: owner }]) => id === one["id"] && owner === app.id);
      // Also for one that was completed already.
      if (found === undefined || found[1].content === null) throw no("file_not_found");
      return { secret: found[0], slot: found[1], title: textOf(one["title"]) };
    });
    const channel = args.has("channel_id") ? target(this.#world, app, args.text("channel_id")) : null;
    const thread = args.has("thread_ts") ? args.text("thread_ts") : undefined;
    if (thread !== undefined && channel?.messages.has(thread) !== true) throw no("invalid_thread_ts");
    const blocks = readBlocks(args.value("blocks", "invalid_blocks_format"));
    const rows = slots.map(({ secret, slot, title }) => {
      this.#slots.delete(secret);
      const upload = { name: slot.name, content: slot.content ?? new Uint8Array(), title: title || slot.name };
      return this.store(app.user.id, app.team, upload, slot.id);
    });
    // What is answered is what was known before the files were shared.
    const files = rows.map(bareFile);
    if (channel !== null) {
      const text = args.text("initial_comment");
      const more = { ...this.#messages.signed(app), subtype: "file_share", upload: false, display_as_bot: false };
      this.#messages.post(channel, { text, blocks, thread, files: rows.map(({ wire }) => wire.id), more });
    }
    return { files } satisfies Answered<FilesCompleteUploadExternalResponse>;
  }
}

const MIMES: Readonly<Record<string, string>> = {
  txt: "text/plain",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  pdf: "application/pdf",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
};

const mimeOf = (name: string): string => MIMES[/\.(\w+)$/.exec(name)?.[1] ?? ""] ?? "application/octet-stream";
