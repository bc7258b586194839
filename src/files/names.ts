/** Names come from strangers: nothing of them may steer a path, a header or what people read. */

/** Controls, line ends, and what turns the direction of text or is not seen: `exe.gpj` must not read as `jpg.exe`. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;
/** Of a link's name, percent-encoded: an address is of no use when it is cut in two. */
const ENCODED_MAX = 120;
const ENDING_MAX = 16;

/** A name to show and to save under: one part of a path, visible characters only; `file` when nothing is left. */
export function cleanName(name: string): string {
  const last = name.split(/[/\\]/u).at(-1) ?? "";
  const seen = last
    .normalize("NFC")
    .replaceAll(/[<>:"|?*\s]+/gu, "_")
    .replaceAll(UNSEEN, "");
  const bare = seen.replace(/^[._]+/u, "").replace(/\.+$/u, "");
  return shortened(bare === "" ? "file" : bare);
}

/** Takes from the stem until the encoded name fits; the ending stays. */
function shortened(name: string): string {
  if (encodeURIComponent(name).length <= ENCODED_MAX) return name;
  const dot = name.lastIndexOf(".");
  const ending = dot > 0 && encodeURIComponent(name.slice(dot)).length <= ENDING_MAX ? name.slice(dot) : "";
  const stem = Array.from(name.slice(0, name.length - ending.length)).slice(0, ENCODED_MAX);
  while (encodeURIComponent(stem.join("") + ending).length > ENCODED_MAX) stem.pop();
  return stem.join("") + ending;
}

/** Bytes of a file name that every usual file system takes. */
const FILE_NAME_MAX = 200;

/**
 * The name in the reference's media folder (its `handleFiles`): everything before the last dot with runs of other
 * characters than letters and digits as `_`, the rest as it is. Beyond it: no hidden files, so that nobody sends a web
 * server its `.htaccess`, nothing unseen, and a length.
 */
export function folderName(name: string): string {
  const lastPart = name.slice(name.lastIndexOf("/") + 1);
  const dot = lastPart.lastIndexOf(".");
  const ending = dot === -1 ? "" : lastPart.slice(dot);
  const kept = ending
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\\\s]/gu, "_")
    .slice(0, 32);
  const base = name.slice(0, name.length - ending.length).replaceAll(/[^a-zA-Z0-9]+/gu, "_");
  const whole = base.slice(0, FILE_NAME_MAX - Buffer.byteLength(kept)) + kept.toWellFormed();
  if (whole === "" || whole === ".") return "file";
  return whole.startsWith(".") ? `_${whole}` : whole;
}
