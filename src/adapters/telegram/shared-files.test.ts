import { describe, expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { readFileRef } from "./ids.ts";
import { allFilesOf, fileMarks, filesOf } from "./shared-files.ts";

const file = (id: string, more: Json = {}): Json => ({ file_id: id, file_unique_id: `u${id}`, file_size: 10, ...more });
const sizes = [
  file("small", { width: 90, height: 60 }),
  file("large", { width: 900, height: 600 }),
  file("middle", { width: 300, height: 200 }),
];

/** As `id name mime bytes`. */
const shown = (raw: Json, asPng = false): readonly string[] =>
  allFilesOf(raw, 5, asPng).map(({ ref, name, mime, bytes }) => {
    const { id } = JSON.parse(String(ref)) as { id: string };
    return `${id} ${name} ${mime ?? "-"} ${bytes ?? "-"}`;
  });

describe("the files of a message", () => {
  test.each<readonly [string, Json, readonly string[]]>([
    ["none", { text: "hello" }, []],
    ["the largest photo", { photo: sizes }, ["large photo-5.jpg image/jpeg 10"]],
    [
      "a photo that moves, and its film",
      { photo: sizes, live_photo: file("film", { photo: sizes }) },
      ["large photo-5.jpg image/jpeg 10", "film live-photo-5.mp4 video/mp4 10"],
    ],
    ["the film alone, where there is no photo", { live_photo: file("film") }, ["film live-photo-5.mp4 video/mp4 10"]],
    [
      "what stands in blocks, and in the blocks in these",
      {
        rich_message: {
          blocks: [
            { type: "photo", photo: sizes },
            { type: "paragraph", text: "x", photo: sizes },
            {
              type: "collage",
              blocks: [
                { type: "video", video: file("v") },
                { type: "voice_note", voice_note: file("o") },
              ],
            },
            { type: "list", items: [{ blocks: [{ type: "document", document: file("d", { file_name: "d.txt" }) }] }] },
          ],
        },
      },
      [
        "large photo-5-1.jpg image/jpeg 10",
        "v video-5-2.mp4 video/mp4 10",
        "o voice-5-3.ogg audio/ogg 10",
        "d d.txt - 10",
      ],
    ],
    [
      "what a poll and its answers show, and not what explains the answer",
      {
        poll: {
          media: { live_photo: file("film", { photo: sizes }) },
          options: [
            { text: "a", media: { photo: sizes } },
            { text: "b", media: { sticker: file("s") } },
            { text: "c" },
          ],
          explanation_media: { video: file("v") },
        },
      },
      [
        "large photo-5-1.jpg image/jpeg 10",
        "film live-photo-5-1.mp4 video/mp4 10",
        "large photo-5-2.jpg image/jpeg 10",
        "s sticker-5-3.webp image/webp 10",
      ],
    ],
    [
      "what was paid for that moves",
      { paid_media: { paid_media: [{ type: "live_photo", live_photo: file("film", { photo: sizes }) }] } },
      ["large photo-5-1.jpg image/jpeg 10", "film live-photo-5-1.mp4 video/mp4 10"],
    ],
    [
      "a document",
      { document: file("d", { file_name: "a\nb.txt", mime_type: "text/plain" }) },
      ["d a b.txt text/plain 10"],
    ],
    ["one without a name", { document: file("d") }, ["d file-5.bin - 10"]],
    ["an animation once", { animation: file("a"), document: file("a") }, ["a animation-5.mp4 video/mp4 10"]],
    [
      "a video",
      { video: file("v", { file_name: "v.mov", mime_type: "video/quicktime" }) },
      ["v v.mov video/quicktime 10"],
    ],
    ["a video message", { video_note: file("n") }, ["n video-5.mp4 video/mp4 10"]],
    ["music", { audio: file("m", { mime_type: "audio/flac" }) }, ["m audio-5.mp3 audio/flac 10"]],
    ["a voice", { voice: file("o") }, ["o voice-5.ogg audio/ogg 10"]],
    ["a sticker", { sticker: file("s") }, ["s sticker-5.webp image/webp 10"]],
    ["no drawing that moves", { sticker: file("s", { is_animated: true }) }, []],
    ["one that is a film", { sticker: file("s", { is_video: true }) }, ["s sticker-5.webm video/webm 10"]],
    [
      "what was paid for",
      { paid_media: { paid_media: [{ type: "photo", photo: sizes }, { type: "preview" }, { video: file("v") }] } },
      ["large photo-5-1.jpg image/jpeg 10", "v video-5-3.mp4 video/mp4 10"],
    ],
    ["a size that is none", { voice: file("o", { file_size: -1 }) }, ["o voice-5.ogg audio/ogg -"]],
    ["nothing with a file's name", { document: { file_name: "d" }, photo: [5, {}] }, []],
  ])("are %s", (_, raw, files) => {
    expect(shown(raw)).toEqual(files);
  });

  test.each<readonly [string, Json, readonly string[]]>([
    ["a sticker, whatever size it will have", { sticker: file("s") }, ["s sticker-5.png image/png -"]],
    ["no drawing that moves", { sticker: file("s", { is_animated: true }) }, []],
    ["one that is a film, as it is", { sticker: file("s", { is_video: true }) }, ["s sticker-5.webm video/webm 10"]],
    [
      "one that is too large, as it is",
      { sticker: file("s", { file_size: 2_000_000 }) },
      ["s sticker-5.webp image/webp 2000000"],
    ],
    ["one of no known size, as it is", { sticker: file("s", { file_size: null }) }, ["s sticker-5.webp image/webp -"]],
    ["a sticker that is none", { sticker: {} }, []],
    [
      "a picture that is no sticker, as it is",
      { document: file("d", { file_name: "a.webp", mime_type: "image/webp" }) },
      ["d a.webp image/webp 10"],
    ],
  ])("as PNG are %s", (_, raw, files) => {
    expect(shown(raw, true)).toEqual(files);
  });

  test("are a still picture of a sticker that moves, where something draws it", () => {
    const moving = file("s", { is_animated: true });
    const names = (raw: Json) => allFilesOf(raw, 5, false, true).map(({ name, mime, bytes }) => [name, mime, bytes]);
    expect(names({ sticker: moving })).toEqual([["sticker-5.png", "image/png", null]]);
    expect(names({ sticker: file("s") })).toEqual([["sticker-5.webp", "image/webp", 10]]);
    expect(names({ sticker: { is_animated: true } })).toEqual([]);
    expect(names({ poll: { options: [{ media: { sticker: moving } }] } })).toEqual([
      ["sticker-5-1.png", "image/png", null],
    ]);
    const ref = allFilesOf({ sticker: moving }, 5, false, true)[0]?.ref;
    const still = { id: "s", name: "sticker-5.png", bytes: 10, mime: "image/png", to: "still" };
    expect(ref === undefined || ref === null ? null : readFileRef(ref)).toEqual(still);
  });

  test.each<readonly [string, Json, boolean]>([
    ["a photo", { photo: sizes, has_media_spoiler: true }, true],
    ["a video", { video: file("v"), has_media_spoiler: true }, true],
    ["an animation", { animation: file("a"), has_media_spoiler: true }, true],
    ["a photo in a block", { rich_message: { blocks: [{ type: "photo", photo: sizes, has_spoiler: true }] } }, true],
    ["an open photo", { photo: sizes }, false],
  ])("are hidden where the sender hides them: %s", (_, raw, isHidden) => {
    expect(allFilesOf(raw, 5, false).map(({ spoiler }) => spoiler === true)).toEqual([isHidden]);
  });

  test("say what they are to be made when they are opened", () => {
    const wanted = [true, false].map((asPng) => {
      const ref = filesOf({ sticker: file("s") }, 5, asPng)[0]?.ref;
      return ref === undefined || ref === null ? null : readFileRef(ref);
    });
    expect(wanted).toEqual([
      { id: "s", name: "sticker-5.png", bytes: 10, mime: "image/png", to: "png" },
      { id: "s", name: "sticker-5.webp", bytes: 10, mime: "image/webp" },
    ]);
  });

  test("are no more than a message has", () => {
    const blocks = Array.from({ length: 60 }, () => ({ type: "photo", photo: sizes }));
    expect(shown({ rich_message: { blocks } })).toHaveLength(50);
    let nested: unknown[] = [{ type: "photo", photo: sizes }];
    for (let depth = 0; depth < 10_000; depth += 1) nested = [{ type: "details", blocks: nested }];
    expect(shown({ rich_message: { blocks: nested } })).toEqual([]);
  });

  test("are the same as long as their marks are", () => {
    expect(fileMarks({ photo: sizes, document: file("d") })).toEqual(["usmall", "ularge", "umiddle", "ud"]);
    expect(fileMarks({ photo: sizes })).toEqual(
      fileMarks({ photo: sizes.map((size) => Object.assign({}, size, { file_id: "x" })) }),
    );
    expect(fileMarks({})).toEqual([]);
    expect(fileMarks({ rich_message: { blocks: [{ type: "document", document: file("d") }] } })).toEqual(["ud"]);
  });
});
