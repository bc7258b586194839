import type { SettingsSchema } from "../contract/manifest.ts";
import { proxySetting } from "../contract/proxy.ts";
import { adminProperties } from "./admin.ts";
import { clusterProperties } from "./cluster.ts";
import { mediaProperties } from "./media.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const hostNameRule = {
  pattern: "^[^\\s[\\]:/?#@*\\\\]+$",
  hint: "must contain host names without scheme, port, path or star, such as bridge.example.org",
};

const endpointRule = {
  pattern: "^(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s\\[\\]:/?#@*\\\\]+):[0-9]{1,5}$",
  hint: "must contain host and port without scheme or path, such as 127.0.0.1:9000",
};

/** The settings of the program itself. */
export const generalSchema = {
  type: "object",
  properties: {
    DataPath: {
      type: "string",
      description: "Folder for the log and for files, relative to the configuration file.",
      default: "rialto-data",
      minLength: 1,
      format: "path",
      protects: true,
      restart: true,
    },
    Durability: {
      enum: ["power", "process"],
      description:
        "`power`: a message is accepted once it is safe from a power cut. `process`: faster, but only safe from a crash of the program.",
      default: "power",
      restart: true,
    },
    RetentionDays: {
      type: "integer",
      description: "How many days the log keeps messages.",
      default: 7,
      minimum: 1,
      maximum: 36_500,
      restart: true,
    },
    RetentionBytes: {
      type: "integer",
      description: "How large the log may grow, in bytes, before its oldest messages are deleted.",
      default: 1024 ** 3,
      minimum: 1024 ** 2,
      restart: true,
    },
    MessageIdDays: {
      type: "integer",
      description:
        "How many days Rialto remembers which messages are copies of which, with their author and first words. During this time, edits, deletions, replies and reactions find the right message. The oldest notes are deleted earlier if the log is larger than RetentionBytes.",
      default: 30,
      minimum: 1,
      maximum: 36_500,
      restart: true,
    },
    Search: {
      type: "boolean",
      description:
        "Keeps an index of the words of all messages, so that programs can search the history at the HTTP API (`/v1`). It is a file of its own, made from the log in the background.",
      default: false,
      restart: true,
    },
    SearchIndex: {
      onlyWith: ["Search"],
      enum: ["words", "trigrams"],
      description:
        "What `Search` finds: `words`: whole words and how they begin; writings without spaces, such as Chinese and Japanese, by any two characters. `trigrams`: every part of a word; the index is several times as large.",
      default: "words",
      restart: true,
    },
    MaxAge: {
      type: "integer",
      format: "duration",
      description:
        "How long a message may wait for a network that is out of reach. After that it is left out, and one line says how many were left out.",
      default: 6 * HOUR_MS,
      minimum: MINUTE_MS,
      maximum: 30 * 24 * HOUR_MS,
    },
    OutageNotice: {
      type: "integer",
      format: "duration",
      description:
        "How long messages may wait for a network before the log says so, and how long a room may be out of reach before the rooms linked with it get a notice.",
      default: 5 * MINUTE_MS,
      minimum: 1000,
      maximum: 24 * HOUR_MS,
    },
    Proxy: {
      ...proxySetting,
      description:
        "Proxy of every account that has no `Proxy` of its own, and of files that messages of API accounts link to: as in `socks5://user:password@host:port`. See [proxies](operating.md#proxies).",
    },
    LogFile: {
      type: "string",
      description: "File to which Rialto appends its log lines. Empty: standard output.",
      default: "",
      restart: true,
    },
    LogFormat: {
      enum: ["auto", "json", "pretty"],
      description:
        "Format of the log lines: `json` is one object per line, `pretty` is for people, `auto` is `pretty` on a terminal and `json` elsewhere.",
      default: "auto",
      restart: true,
    },
    Debug: {
      type: "boolean",
      description: "Logs more. The flag `-debug` and the environment variable `DEBUG=1` do the same.",
      default: false,
      restart: true,
    },
    AllowedHosts: {
      type: "array",
      items: { type: "string", rule: hostNameRule },
      description:
        "Host names under which API accounts without Token, and AdminBindAddress without AdminToken, accept requests, such as the name that a web server in front of them passes on. These are always accepted: IP addresses, `localhost`, names under it, and the name in the address itself; unless the address is on loopback, also names without a dot and this machine's own name. With a token, every name is accepted.",
      default: [],
      examples: ["bridge.example.org"],
    },
    AllowPrivate: {
      type: "array",
      items: { type: "string", rule: endpointRule },
      description:
        "Servers on this machine and on private networks that webhooks may call, as `host:port` in the way their URLs have it. All other private addresses are refused, and so are ports below 1024 other than 80 and 443. The metadata services of clouds stay out of reach.",
      default: [],
      examples: ["127.0.0.1:9000"],
    },
    ...clusterProperties,
    ...mediaProperties,
    ...adminProperties,
  },
} as const satisfies SettingsSchema;
