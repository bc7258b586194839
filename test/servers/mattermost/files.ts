import type { Call, Routes } from "./requests.ts";
import { idOf, listOf } from "./requests.ts";
import { forbidden, invalidBody, invalidUrl, isId, newId, Refusal, type WireFile } from "./wire.ts";
import type { StoredFile, World } from "./world.ts";

const MIME: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  txt: "text/plain; charset=utf-8",
  pdf: "application/pdf",
  mp4: "video/mp4",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
};

/** Sending and fetching files. */
export function routeFiles(routes: Routes, world: World): void {
  routes.on("POST", "/files", (call) => {
    const { fileAttachments } = world.config;
    if (!fileAttachments) {
      const words = "File attachments have been disabled on this server.";
      throw new Refusal(world.major < 6 ? 501 : 403, "api.file.attachments.disabled.app_error", words);
    }
    const { channel, parts } = upload(call);
    if (!isId(channel)) throw invalidBody("channel_id");
    world.needs(call.me, channel, "upload_file");
    const infos = parts.map((part) => store(world, call.me, channel, part.name, part.content).info);
    return { status: 201, json: { file_infos: infos, client_ids: parts.flatMap(({ client }) => client ?? []) } };
  });
  routes.on("GET", "/files/:file_id", (call) => {
    const { info, content } = readable(world, call);
    const quoted = info.name.replaceAll('"', '\\"');
    return {
      bytes: content,
      headers: {
        "content-type": info.mime_type,
        "content-disposition": `attachment;filename="${quoted.replaceAll(/[^\x20-\x7e]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(info.name)}`,
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-cache",
      },
    };
  });
  routes.on("GET", "/files/:file_id/info", (call) => ({ json: readable(world, call).info }));
  routes.on("POST", "/files/ids", (call) => ({
    json: listOf(call, "file_ids").flatMap((id) => world.files.get(id)?.info ?? []),
  }));
  routes.on("GET", "/posts/:post_id/files/info", (call) => {
    const row = world.posts.get(idOf(call, "post_id"));
    if (row === undefined) throw forbidden(call.me, "read_channel_content");
    if (!world.mayRead(call.me, world.channel(row.channel_id))) throw forbidden(call.me, "read_channel_content");
    return { json: (row.file_ids ?? []).flatMap((id) => world.files.get(id)?.info ?? []) };
  });
}

/** Keeps a file, which belongs to no post yet. */
export function store(world: World, user: string, channel: string, name: string, content: Uint8Array): StoredFile {
  const { maxFileSize } = world.config;
  if (content.length > maxFileSize) {
    const words = `Unable to upload file ${name}. ${content.length} bytes exceeds the maximum allowed ${maxFileSize} bytes.`;
    throw new Refusal(413, "api.file.upload_file.too_large_detailed.app_error", words);
  }
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const now = world.now();
  const info = {
    id: newId(),
    user_id: user,
    channel_id: channel,
    post_id: "",
    create_at: now,
    update_at: now,
    delete_at: 0,
    name,
    extension,
    size: content.length,
    mime_type: MIME[extension] ?? "application/octet-stream",
    width: 0,
    height: 0,
    has_preview_image: false,
    archived: false,
  } satisfies WireFile;
  const file: StoredFile = { info, content };
  world.files.set(info.id, file);
  return file;
}

interface Part {
  readonly name: string;
  readonly content: Buffer;
  readonly client: string | null;
}

function upload(call: Call): { channel: string; parts: Part[] } {
  const type = call.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) {
    const name = call.query.get("filename") ?? "";
    if (name === "") throw invalidUrl("filename");
    return { channel: call.query.get("channel_id") ?? "", parts: [{ name, content: call.raw, client: null }] };
  }
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/.exec(type);
  const fields = split(call.raw, boundary?.[1] ?? boundary?.[2] ?? "");
  const text = (name: string): string[] =>
    fields.flatMap((one) => (one.field === name && one.file === null ? one.content.toString("utf8") : []));
  const clients = text("client_ids");
  const parts = fields
    .filter((one) => one.field === "files" && one.file !== null)
    .map(({ file, content }, at) => ({ name: file ?? "", content, client: clients[at] ?? null }));
  if (parts.length === 0) {
    throw new Refusal(400, "api.file.upload_file.no_files.app_error", "No files were sent.");
  }
  return { channel: text("channel_id")[0] ?? call.query.get("channel_id") ?? "", parts };
}

interface FormField {
  readonly field: string;
  readonly file: string | null;
  readonly content: Buffer;
}

/** The parts of a form; whoever writes it otherwise than the standard says is refused. */
function split(body: Buffer, boundary: string): FormField[] {
  const bad = new Refusal(400, "api.file.upload_file.read_form_value.app_error", "Unable to read the form.");
  const mark = Buffer.from(`--${boundary}`);
  const fields: FormField[] = [];
  let at = body.indexOf(mark);
  if (boundary === "" || at !== 0) throw bad;
  while (body.subarray(at + mark.length, at + mark.length + 2).toString("latin1") === "\r\n") {
    const begin = at + mark.length + 2;
    const head = body.indexOf("\r\n\r\n", begin);
    const end = body.indexOf(`\r\n--${boundary}`, begin);
    if (head < 0 || end < 0 || head > end) throw bad;
    const headers = body.subarray(begin, head).toString("utf8");
    const [, field] = /content-disposition:\s*form-data;.*?\bname="([^"]*)"/i.exec(headers) ?? [];
    if (field === undefined) throw bad;
    const [, file = null] = /;\s*filename="((?:[^"\\]|\\.)*)"/i.exec(headers) ?? [];
    fields.push({ field, file: file?.replaceAll("%22", '"') ?? null, content: body.subarray(head + 4, end) });
    at = end + 2;
  }
  if (body.subarray(at + mark.length, at + mark.length + 2).toString("latin1") !== "--") throw bad;
  return fields;
}

/** A file that stands in no post is only its sender's. */
function readable(world: World, call: Call): StoredFile {
  const file = world.files.get(idOf(call, "file_id"));
  if (file === undefined || file.info.delete_at !== 0) {
    throw new Refusal(404, "app.file_info.get.app_error", "Unable to get the file info.");
  }
  const { user_id: owner, post_id: id } = file.info;
  const post = world.posts.get(id);
  if (owner === call.me) return file;
  if (post === undefined || !world.mayRead(call.me, world.channel(post.channel_id))) {
    throw forbidden(call.me, "read_channel_content");
  }
  return file;
}
