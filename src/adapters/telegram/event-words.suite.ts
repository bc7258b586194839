import type { Event } from "../../contract/events.ts";

/** In words, with the channel before them. */
export function inWords(event: Event): string {
  return `${event.channel} ${wordsOf(event)}`;
}

function wordsOf(event: Event): string {
  switch (event.kind) {
    case "posted":
      return `${event.author.name}${event.body.style === "action" ? "" : ":"} ${bodyOf(event.body)}`;
    case "edited":
      return `${event.author.name} edits ${event.message}: ${bodyOf(event.body)}`;
    case "deleted":
      return "deleted";
    case "reacted":
      return `${event.author.name} ${event.on ? "+" : "-"}${event.emoji}`;
    case "member":
    case "topic":
      return event.text;
  }
}

function bodyOf({ source, files }: Extract<Event, { kind: "posted" }>["body"]): string {
  return [source.text, ...files.map(({ name }) => `[${name}]`)].filter((part) => part !== "").join(" ");
}
