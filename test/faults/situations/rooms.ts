import type { NioPerson } from "../../servers/people/nio.ts";
import type { PythonPerson } from "../../servers/people/python.ts";
import type { SlixmppPerson } from "../../servers/people/slixmpp.ts";

/** What somebody in a room has seen so far, a line for each thing. */
export type Room = () => readonly string[];

const LINE = /^(?:@\S+ )?:(?<nick>[^ !]+)!\S+ (?<command>[A-Z]+) :?(?<channel>\S+)(?: :?(?<rest>.*))?$/u;

export function ircRoom(person: PythonPerson, channel: string): Room {
  return () =>
    person.lines.flatMap((line) => {
      const { nick = "", command = "", channel: place, rest = "" } = LINE.exec(line)?.groups ?? {};
      if (place?.toLowerCase() !== channel) return [];
      const kicked = /^(?<who>\S+) :?(?<why>.*)$/u.exec(rest)?.groups;
      const words: Readonly<Record<string, string>> = {
        PRIVMSG: `<${nick}> ${rest}`,
        NOTICE: `-${nick}- ${rest}`,
        JOIN: `* ${nick} joins`,
        KICK: `* ${nick} kicks ${kicked?.["who"]} (${kicked?.["why"]})`,
        MODE: `* ${nick} sets ${rest.replace(" :", " ")}`,
      };
      return words[command] === undefined ? [] : [words[command]];
    });
}

export function xmppRoom(person: SlixmppPerson, room: string): Room {
  return () =>
    person
      .messages(room)
      .flatMap(({ nick, body, replaces, late }) =>
        body === null || late ? [] : [replaces === null ? `${nick}: ${body}` : `${nick} edits that: ${body}`],
      );
}

export function matrixRoom(person: NioPerson, room: string): Room {
  return () =>
    person.seen.flatMap(({ room: place, by, event }) => {
      const { body, "m.new_content": fresh } = event["content"] as Readonly<Record<string, unknown>>;
      if (place !== room || event["type"] !== "m.room.message") return [];
      const edited = (fresh as { readonly body?: unknown } | undefined)?.body;
      return [edited === undefined ? `${by}: ${textOf(body)}` : `${by} edits that: ${textOf(edited)}`];
    });
}

const textOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));
