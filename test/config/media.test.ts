import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";
import type { Loaded } from "../../src/config/load.ts";

function loadGeneral(lines: string): Loaded {
  const text = `[general]\n${lines}\n[api.left]\nBindAddress = "127.0.0.1:1"\n[api.right]\nBindAddress = "127.0.0.1:2"
[[gateway]]\nname = "main"\nenable = true\ninout = [{ account = "api.left" }, { account = "api.right" }]\n`;
  return load({ text, format: "toml", name: "test.toml" }, { env: {}, cwd: "/somewhere" });
}

function mediaOf(lines: string) {
  const loaded = loadGeneral(lines);
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join("\n"));
  return loaded.config.general.media;
}

const told = (lines: string): readonly string[] =>
  loadGeneral(lines).problems.map(({ severity, line, message }) => `${severity} ${line} ${message}`);

test("without a word about files they are taken up to 50 MB, and nothing is published", () => {
  expect(mediaOf("")).toEqual({
    downloadSize: 50_000_000,
    blackList: [],
    allowPrivate: false,
    storeBytes: 1024 ** 3,
    bindAddress: null,
    endpoint: null,
    folder: null,
  });
});

test("the reference's settings keep their meaning", () => {
  const lines = [
    'MediaDownloadPath = "media"',
    'MediaServerDownload = "https://media.example.org/x/"',
    "MediaDownloadSize = 1000000",
    'MediaDownloadBlackList = [".exe$", "^a b$"]',
  ].join("\n");
  expect(mediaOf(lines)).toMatchObject({
    downloadSize: 1_000_000,
    blackList: [".exe$", "^a b$"],
    folder: { path: "/somewhere/media", url: "https://media.example.org/x" },
  });
  expect(told(lines)).toEqual([]);
});

test.each([
  ['MediaBindAddress = "127.0.0.1:9"\nMediaURL = "https://x.example/files/"', "https://x.example/files"],
  ['MediaBindAddress = "192.0.2.1:9"', "http://192.0.2.1:9"],
  ['MediaBindAddress = "[2001:db8::1]:9"', "http://[2001:db8::1]:9"],
  ['MediaBindAddress = ":9"', "http://127.0.0.1:9"],
])("%s makes links to %s", (lines, url) => {
  expect(mediaOf(lines).endpoint).toEqual({ url, expiryMs: 30 * 24 * 3_600_000 });
});

test.each([
  ['MediaDownloadPath = "x"', /^warning 2 MediaDownloadPath .*MediaServerDownload/u],
  ['MediaServerDownload = "https://x.example"', /^warning 2 MediaServerDownload .*MediaDownloadPath/u],
  ['MediaURL = "https://x.example"', /^warning 2 MediaURL .*MediaBindAddress/u],
  ['MediaBindAddress = ":9"', /^warning 2 .*set MediaURL/u],
  ['MediaBindAddress = "localhost:9"', /^warning 2 .*only work on this machine/u],
  ['MediaBindAddress = "nowhere"', /^error 2 MediaBindAddress .*no port/u],
  ['MediaURL = "x.example"\nMediaBindAddress = ":9"', /^error 2 MediaURL .*must be an address/u],
  ['MediaURL = "https://me:pass@x.example"', /^error 2 MediaURL .*without user/u],
  ['MediaExpiry = "5m"\nMediaBindAddress = "192.0.2.1:9"', /^error 2 MediaExpiry/u],
  ['MediaDownloadBlackList = ["a("]', /^error 2 MediaDownloadBlackList .*bad regular expression/u],
  ['MediaServerUpload = "https://x.example"', /^warning 2 MediaServerUpload .*has no effect: .*set MediaDownloadPath/u],
])("check says of %s", (lines, said) => {
  expect(told(lines)).toEqual([expect.stringMatching(said)]);
});

test("an account that wants the address of the media endpoint stays down", () => {
  const [first = ""] = told('MediaBindAddress = "127.0.0.1:1"\nMediaURL = "http://x.example"');
  expect(first).toMatch(/^error 5 api\.left .*MediaBindAddress of \[general\].*\(api\.left stays down\)/u);
});

test("what cannot be read never lets more through", () => {
  expect(mediaOf('MediaDownloadBlackList = ["a("]').blackList).toEqual([""]);
  expect(mediaOf('MediaURL = "x.example"\nMediaBindAddress = ":9"')).toMatchObject({
    endpoint: null,
    bindAddress: null,
  });
  expect(mediaOf('MediaBindAddress = "nowhere"')).toMatchObject({ endpoint: null, bindAddress: null });
  expect(mediaOf('MediaDownloadSize = "large"\nMediaAllowPrivate = "yes"')).toMatchObject({
    downloadSize: 50_000_000,
    allowPrivate: false,
  });
});

test("empty texts are as good as none", () => {
  expect(told('MediaBindAddress = ""\nMediaURL = ""\nMediaDownloadPath = ""\nMediaServerDownload = ""')).toEqual([]);
});
