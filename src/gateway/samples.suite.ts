/** Small configurations and messages for tests and benchmarks; everything has a plain default. */
import type { Account, Bridge, Config, Gateway, PresentationSettings } from "../config/config.ts";
import type { FileItem, Message } from "../contract/message.ts";

const PRESENTATION: PresentationSettings = {
  remoteNickFormat: "{NICK}",
  stripNick: false,
  label: "",
  iconURL: "",
  ignoreNicks: [],
  ignoreMessages: [],
  emojiCodes: "standing",
  replaceMessages: [],
  replaceNicks: [],
  extractNicks: [],
  showJoinPart: false,
  noSendJoinPart: false,
  showTopicChange: false,
  syncTopic: false,
  showOutages: true,
  showFailures: true,
  showUserTyping: true,
  preserveThreading: true,
  quoteDisable: false,
  quoteFormat: "",
  quoteLengthLimit: 100,
  editDisable: false,
  editSuffix: "",
  editFallback: "diff",
  deleteFallback: "none",
  reactionDisable: false,
  reactionFallback: "none",
  allowMention: ["users"],
};

export function anAccount(name: string, presentation: Partial<PresentationSettings> = {}): Account {
  return {
    name,
    key: name.toLowerCase(),
    protocol: name.slice(0, name.indexOf(".")),
    presentation: { ...PRESENTATION, ...presentation },
    down: null,
    settings: {},
  };
}

/** `in net.a #x`, `out api.b api`, `inout net.a #y`: one bridge a line. */
export function aGateway(name: string, lines: readonly string[], sameChannel = false): Gateway {
  const bridges = lines.map((line): Bridge => {
    const [direction, account = "", channel = ""] = line.split(" ");
    return { account, channel, direction: direction as Bridge["direction"], options: {} };
  });
  return { name, bridges, sameChannel, maxAgeMs: null, catchUp: null };
}

/** A configuration of these gateways; accounts that are not given are plain ones. */
export function aConfig(gateways: readonly Gateway[], accounts: readonly Account[] = []): Config {
  const all = new Map<string, Account>();
  for (const { account } of gateways.flatMap((gateway) => gateway.bridges)) all.set(account, anAccount(account));
  for (const account of accounts) all.set(account.key, account);
  return {
    path: null,
    errors: [],
    general: {
      dataPath: "/nowhere",
      cluster: null,
      durability: "power",
      retentionDays: 7,
      retentionBytes: 2 ** 30,
      messageIdDays: 30,
      search: null,
      maxAgeMs: 21_600_000,
      outageNoticeMs: 300_000,
      proxy: "",
      logFile: null,
      logFormat: "auto",
      debug: false,
      allowedHosts: [],
      allowPrivate: [],
      dashboardUrl: null,
      media: {
        downloadSize: 50_000_000,
        blackList: [],
        allowPrivate: false,
        storeBytes: 2 ** 30,
        bindAddress: null,
        endpoint: null,
        folder: null,
      },
      admin: null,
      values: {},
    },
    accounts: all,
    gateways,
  };
}

export function aMessage(fields: Partial<Message> = {}): Message {
  return {
    text: "hello",
    channel: "#room",
    username: "bob",
    userid: "u1",
    avatar: "",
    account: "net.libera",
    event: "",
    protocol: "net",
    gateway: "",
    parent_id: "",
    timestamp: "2026-01-02T03:04:05.678Z",
    id: "",
    Extra: null,
    ...fields,
  };
}

export function aFile(fields: Partial<FileItem> = {}): FileItem {
  return {
    Name: "a.txt",
    Data: "aGk=",
    Comment: "",
    URL: "",
    Size: 2,
    Avatar: false,
    SHA: "",
    NativeID: "",
    ...fields,
  };
}

/** The same message, frozen all the way down: a write to it throws. */
export function frozen(message: Message): Message {
  for (const file of message.Extra?.file ?? []) Object.freeze(file);
  if (message.Extra !== null) {
    Object.freeze(message.Extra.file);
    Object.freeze(message.Extra);
  }
  return Object.freeze(message);
}
