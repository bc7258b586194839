import type { MediaKind } from "./wire.ts";

export interface Shape {
  readonly width: number;
  readonly height: number;
}

/** What the server sees of a picture, or null for what is none. */
export function lookAt(content: Uint8Array): Shape | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length > 10 && bytes.toString("latin1", 0, 3) === "GIF") {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.length > 30 && bytes.toString("latin1", 8, 12) === "WEBP") return { width: 512, height: 512 };
  if (bytes.length > 3 && bytes.readUInt16BE(0) === 0xffd8) return ofJpeg(bytes);
  return null;
}

function ofJpeg(bytes: Buffer): Shape {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { width: 90, height: 90 };
}

/** As which kind the server shows what was sent so: it looks at the file. */
export function kindOf(sent: MediaKind, mime: string, name: string): MediaKind {
  if (sent === "document" && mime === "image/gif") return "animation";
  if (sent === "animation" && !["image/gif", "video/mp4"].includes(mime)) return "document";
  if (sent === "video" && mime !== "video/mp4") return "document";
  if (sent === "voice" && mime !== "audio/ogg") return mime.startsWith("audio/") ? "audio" : "document";
  if (sent === "audio" && !["audio/mpeg", "audio/mp4"].includes(mime)) return "document";
  if (sent === "sticker" && mime !== "image/webp" && mime !== "video/webm" && !name.endsWith(".tgs")) return "document";
  return sent;
}
