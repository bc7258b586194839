import { createHash } from "node:crypto";
import type { FileRef } from "../../contract/ids.ts";
import type { OpenedFile } from "../../contract/session.ts";
import { Memory } from "./memory.ts";
import { NS } from "./ns.ts";
import type { Requests } from "./requests.ts";
import { child, childText, el } from "./xml.ts";
import { isObject, parseAs } from "../../lib/shapes.ts";

/** Pictures that are kept; each is some ten KiB (XEP-0153 §3.1 asks for less than 8). */
const KEPT_MAX = 32;
const BYTES_MAX = 512 * 1024;

interface Picture {
  readonly bytes: Uint8Array;
  readonly mime: string | null;
}

/** Pictures of people in rooms, from their vCard (XEP-0153, XEP-0054). */
export class Avatars {
  readonly #requests: Requests;
  readonly #kept = new Memory<string, Picture>(KEPT_MAX);

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** A ref as `authorOf` makes it. Never rejects. */
  async open(ref: FileRef): Promise<OpenedFile> {
    const asked = read(ref);
    if (asked === null) return absent("this names no picture");
    const kept = this.#kept.get(asked.sha1);
    if (kept !== undefined) return opened(kept);
    const answer = await this.#requests.ask("get", asked.of, el("vCard", { xmlns: NS.vcard }));
    if (!answer.ok) return absent(`the picture cannot be fetched: ${answer.error.condition}`);
    const photo = child(child(answer.iq, "vCard", NS.vcard), "PHOTO");
    const text = (childText(photo, "BINVAL") ?? "").replaceAll(/\s/gu, "");
    if (text.length > (BYTES_MAX * 4) / 3 + 4) return absent("the picture is too large");
    const bytes = Buffer.from(text, "base64");
    // Another picture by now, or another person.
    if (createHash("sha1").update(bytes).digest("hex") !== asked.sha1) return absent("the picture is gone");
    const picture = { bytes, mime: childText(photo, "TYPE") };
    this.#kept.put(asked.sha1, picture);
    return opened(picture);
  }
}

function read(ref: FileRef): { readonly of: string; readonly sha1: string } | null {
  try {
    const { of, sha1 } = parseAs(ref, isObject);
    return typeof of === "string" && typeof sha1 === "string" ? { of, sha1 } : null;
  } catch {
    return null;
  }
}

function opened({ bytes, mime }: Picture): OpenedFile {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return { ok: true, bytes: bytes.byteLength, mime, stream };
}

function absent(message: string): OpenedFile {
  return { ok: false, why: { code: "not_found", message } };
}
