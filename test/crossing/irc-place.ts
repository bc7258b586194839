import { type PythonPerson, pythonPerson } from "../servers/people/python.ts";
import { NAMES, type Place, type Sight, type SightKind, type Style } from "./place.ts";

/** What a line of the server says. */
const LINE =
  /^(?:@(?<tags>\S+) )?:(?<nick>[^ !]+)!\S+ (?<command>PRIVMSG|NOTICE|TAGMSG|TOPIC|JOIN|PART) :?(?<channel>\S+)(?: :?(?<text>.*))?$/su;

/** Somebody with a client on python3-irc that shows every line and has `message-tags`. */
export async function ircPlace(port: number, channel: string): Promise<Place> {
  const name = NAMES.irc;
  const client = await pythonPerson({ port, nick: name, channels: [channel] });
  await client.raw("CAP REQ :message-tags echo-message");
  await client.ears.until("", (heard) => heard.some(({ text }) => / CAP \S+ ACK /u.test(text)), "the capabilities");
  const say = async (text: string, style: Style, tags = ""): Promise<string> => {
    const words = style === "action" ? `\u0001ACTION ${text}\u0001` : text;
    await client.raw(`${tags}${style === "notice" ? "NOTICE" : "PRIVMSG"} ${channel} :${words}`);
    const own = (): Told | undefined =>
      told(client, channel).findLast((one) => one.nick === name && one.text === words);
    const before = told(client, channel).filter((one) => one.nick === name && one.text === words).length;
    await client.ears.until(
      "",
      () => told(client, channel).filter((one) => one.nick === name && one.text === words).length > before,
      `the echo of "${text}"`,
    );
    return own()?.tags.get("msgid") ?? "";
  };
  return {
    network: "irc",
    name,
    sights: () => told(client, channel).flatMap((one) => (one.nick === name ? [] : [sightOf(one)])),
    say,
    reply: async (text, to) => void (await say(text, "normal", `@+draft/reply=${to} `)),
    thread: null,
    edit: null,
    erase: null,
    react: async (message, emoji, on) => {
      await client.raw(`@+draft/reply=${message};+draft/${on ? "react" : "unreact"}=${emoji} TAGMSG ${channel}`);
    },
    share: null,
    caption: null,
    shareAll: null,
    setTopic: async (topic) => await client.raw(`TOPIC ${channel} :${topic}`),
    visit: async (visitor) => {
      const other = await pythonPerson({ port, nick: visitor, channels: [channel] });
      await other.raw(`PART ${channel}`);
      await client.ears.until(
        channel,
        (heard) => heard.some(({ kind, nick }) => kind === "leave" && nick === visitor),
        "the leave",
      );
      await other.quit();
    },
    quit: async () => await client.quit(),
  };
}

interface Told {
  readonly tags: ReadonlyMap<string, string>;
  readonly nick: string;
  readonly command: string;
  readonly text: string;
}

function told(client: PythonPerson, channel: string): readonly Told[] {
  return client.lines.flatMap((line) => {
    const { tags = "", nick, command = "", channel: place = "", text = "" } = LINE.exec(line)?.groups ?? {};
    if (nick === undefined || place.toLowerCase() !== channel) return [];
    const pairs = tags.split(";").map((tag): [string, string] => {
      const at = `${tag}=`.indexOf("=");
      return [tag.slice(0, at), tag.slice(at + 1)];
    });
    return [{ tags: new Map(pairs), nick, command, text }];
  });
}

const KINDS: Readonly<Record<string, SightKind>> = { NOTICE: "notice", TOPIC: "topic", JOIN: "join", PART: "leave" };

function sightOf({ tags, command, text }: Told): Sight {
  // oxlint-disable-next-line eslint/no-control-regex -- CTCP
  const action = /^\u0001ACTION (?<words>.*?)\u0001?$/su.exec(text)?.groups?.["words"];
  const emoji = command === "TAGMSG" ? (tags.get("+draft/react") ?? tags.get("+draft/unreact")) : undefined;
  const reaction = emoji === undefined ? undefined : tags.has("+draft/react") ? "reaction" : "unreaction";
  const id = tags.get("msgid");
  return {
    kind: reaction ?? (action === undefined ? (KINDS[command] ?? "normal") : "action"),
    text: emoji ?? action ?? text,
    ids: id === undefined ? [] : [id],
    target: tags.get("+draft/reply") ?? null,
    alerts: false,
    file: null,
  };
}
