import type { SettingsOf, SettingsSchema } from "../contract/manifest.ts";
import { isLoopback, parseAddress } from "../lib/address.ts";
import type { MediaSettings } from "./config.ts";
import type { Context } from "./context.ts";
import type { ProblemEffect } from "./problems.ts";
import type { Section } from "./section.ts";

const HOUR_MS = 3_600_000;

const webAddress = {
  pattern: "^(?:https?://[^\\s/?#@]+(?:/[^\\s?#]*)?)?$",
  hint: "must be an address such as https://media.example.org, without user, ? or #",
};

/** Settings of `[general]` about the files that messages carry. */
export const mediaProperties = {
  MediaDownloadSize: {
    type: "integer",
    description: "Size of the largest file that is relayed, in bytes.",
    default: 50_000_000,
    minimum: 1,
    zeroIsDefault: true,
    restart: true,
  },
  MediaDownloadBlackList: {
    type: "array",
    items: { type: "string", format: "regex" },
    description:
      "Files whose name matches one of these regular expressions are not relayed. A list, or one text with the expressions separated by spaces.",
    default: [],
    restart: true,
  },
  MediaAllowPrivate: {
    type: "boolean",
    description:
      "Also fetches files from web servers on this machine and on private networks, at any port, when a message links to them. Anybody who can write a message can then make Rialto send requests to them.",
    default: false,
    restart: true,
  },
  MediaBytes: {
    type: "integer",
    description:
      "How large the store of files may grow, in bytes, before files are deleted: uploads of programs first, then the files that were not used for the longest time.",
    default: 1024 ** 3,
    minimum: 1024 ** 2,
    restart: true,
  },
  MediaBindAddress: {
    type: "string",
    description:
      "Address, `host:port`, where Rialto itself serves files, for networks that cannot accept them and for readers of the API. Empty: it serves none.",
    default: "",
    format: "bind-address",
    zeroIsDefault: true,
    restart: true,
  },
  MediaURL: {
    type: "string",
    description: "Public address of MediaBindAddress; links begin with it. Empty: `http://` and MediaBindAddress.",
    default: "",
    rule: webAddress,
    restart: true,
  },
  MediaExpiry: {
    onlyWith: ["MediaBindAddress"],
    type: "integer",
    format: "duration",
    description: "How long a link to MediaURL works.",
    default: 30 * 24 * HOUR_MS,
    minimum: HOUR_MS,
    maximum: 3650 * 24 * HOUR_MS,
    restart: true,
  },
  MediaDownloadPath: {
    type: "string",
    description:
      "Folder that your own web server publishes. Rialto puts files there for networks that cannot accept them.",
    default: "",
    format: "path",
    restart: true,
  },
  MediaServerDownload: {
    type: "string",
    description: "Public address of MediaDownloadPath.",
    default: "",
    rule: webAddress,
    restart: true,
  },
} as const satisfies SettingsSchema["properties"];

type MediaValues = SettingsOf<{ readonly type: "object"; readonly properties: typeof mediaProperties }>;

/** What happens when the media endpoint cannot be opened as configured. */
export const NO_ENDPOINT: ProblemEffect = { says: "Rialto serves no files" };

/** Warns of settings that need another one to have an effect. */
export function resolveMedia(
  faults: ReadonlySet<string>,
  values: MediaValues,
  section: Section,
  { report }: Context,
): MediaSettings {
  const { MediaDownloadPath: path, MediaServerDownload: server, MediaURL: url } = values;
  // Links to another address than the wanted one would lead nowhere.
  const bind = faults.has("MediaURL") ? "" : values.MediaBindAddress;
  const warn = (name: string, message: string): void => {
    const setting = section.get(name.toLowerCase());
    if (setting !== undefined && faults.size === 0)
      report.warning("idle-setting", setting.where, `${name} of [general] ${message}`);
  };
  if (path !== "" && server === "")
    warn("MediaDownloadPath", "has no effect without MediaServerDownload, the public address of that folder");
  if (server !== "" && path === "")
    warn("MediaServerDownload", "has no effect without MediaDownloadPath, the folder that it publishes");
  if (url !== "" && bind === "") warn("MediaURL", "has no effect without MediaBindAddress, where Rialto serves files");
  if (bind !== "" && values.MediaURL === "" && isLoopback(hostOf(bind) ?? ""))
    warn("MediaBindAddress", "makes links that only work on this machine; set MediaURL to its public address");
  if (bind !== "" && values.MediaURL === "" && isEvery(hostOf(bind)))
    warn("MediaBindAddress", "names no host for links; set MediaURL to its public address");
  return {
    downloadSize: values.MediaDownloadSize,
    blackList: faults.has("MediaDownloadBlackList") ? [EVERY_NAME] : values.MediaDownloadBlackList,
    allowPrivate: values.MediaAllowPrivate,
    storeBytes: values.MediaBytes,
    bindAddress: bind === "" ? null : bind,
    endpoint: bind === "" ? null : { url: url === "" ? urlOf(bind) : bare(url), expiryMs: values.MediaExpiry },
    folder: path === "" || server === "" ? null : { path, url: bare(server) },
  };
}

const EVERY_NAME = "";

function hostOf(bind: string): string | null {
  const address = parseAddress(bind);
  return "error" in address ? null : address.host;
}

const isEvery = (host: string | null): boolean => host === "" || host === "0.0.0.0" || host === "::";

/** The address for programs on this machine, when it listens everywhere. */
function urlOf(bind: string): string {
  const port = bind.slice(bind.lastIndexOf(":"));
  return isEvery(hostOf(bind)) ? `http://127.0.0.1${port}` : `http://${bind}`;
}

const bare = (url: string): string => url.replace(/\/+$/u, "");
