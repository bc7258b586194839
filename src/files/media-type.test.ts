import { expect, test } from "vitest";
import { isShown, mediaType, sniff, withEnding } from "./media-type.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

test.each<[what: string, head: string | Uint8Array, name: string, claimed: string | null, type: string]>([
  ["a picture", PNG, "a.png", null, "image/png"],
  ["a picture by another name", PNG, "a.html", "text/html", "image/png"],
  ["a page called a picture", "<!DOCTYPE html><p>x", "a.png", "image/png", "text/html"],
  ["a page without a doctype", "\n\n <html >", "a.jpg", null, "text/html"],
  ["a page after a byte order mark", "\uFEFF<script>alert(1)</script>", "a.gif", null, "text/html"],
  ["a page in UTF-16", utf16("<script>alert(1)</script>"), "a.gif", null, "text/html"],
  ["a page after a comment", "<!-- x --><img src=x onerror=alert(1)>", "a.gif", null, "text/html"],
  ["a drawing", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "a.png", null, "image/svg+xml"],
  ["a drawing after a prologue", '<?xml version="1.0"?>\n<!-- a -->\n<svg >', "a.webp", null, "image/svg+xml"],
  ["a drawing with a prefix", '<?xml version="1.0"?><s:svg xmlns:s="x">', "a.xml", null, "image/svg+xml"],
  ["other XML", '<?xml version="1.0"?><gpx/>', "a.gpx", null, "application/gpx+xml"],
  ["the source of a page", "<html><b>x</b>", "a.txt", null, "text/plain"],
  [
    "a box whose name says more",
    Buffer.from("504b0304140000000000", "hex"),
    "a.odt",
    null,
    "application/vnd.oasis.opendocument.text",
  ],
  ["a box called a picture", Buffer.from("504b0304140000000000", "hex"), "a.png", null, "application/zip"],
  ["text", "hello", "notes.txt", null, "text/plain"],
  ["text that nobody names", "hello", "notes", null, "application/octet-stream"],
  ["what only the claim knows", "hello", "notes", "Text/Markdown; charset=utf-8", "text/markdown"],
  ["a claim that is not a type", "hello", "notes", "text/html\r\nX: y", "application/octet-stream"],
  ["a claim against the name", "hello", "a.css", "image/png", "text/css"],
  ["nothing at all", "", "file", null, "application/octet-stream"],
])("%s", async (_what, head, name, claimed, type) => {
  expect(await mediaType({ sniffed: await sniff(Buffer.from(head)), name, claimed })).toBe(type);
});

test.each([
  "text/html",
  "image/svg+xml",
  "application/xhtml+xml",
  "application/xml",
  "application/pdf",
  "text/css",
  "text/javascript",
])("%s is never shown by itself", (type) => {
  expect(isShown(type)).toBe(false);
});

test.each([
  ["picture", "image/png", "picture.png"],
  ["picture.jpeg", "image/png", "picture.jpeg"],
  ["v1.2", "text/plain", "v1.2"],
  ["song.fur", "application/zip", "song.fur"],
  ["Voice message", "audio/ogg", "Voice message.ogg"],
  ["song", "audio/mpeg", "song.mp3"],
  ["clip", "video/quicktime", "clip.mov"],
  ["cat.png. ", "image/png", "cat.png. "],
  ["a.geojson", "application/geo+json", "a.geojson"],
  ["a.markdown", "text/markdown", "a.markdown"],
  ["A.TORRENT", "application/x-bittorrent", "A.TORRENT"],
  ["torrent", "application/x-bittorrent", "torrent.torrent"],
  ["a.b c", "image/png", "a.b c.png"],
  ["a.longer", "image/png", "a.longer.png"],
  [".hidden", "text/plain", ".hidden.txt"],
  ["file", "application/octet-stream", "file"],
])("the name %s of %s becomes %s", async (name, mime, ending) => {
  expect(await withEnding(name, mime)).toBe(ending);
});
