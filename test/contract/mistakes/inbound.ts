import type { Event } from "../../../src/contract/events.ts";
import type { EventKey } from "../../../src/contract/ids.ts";
import type { Mistake, Parts } from "../broken.ts";
import { wordsOf } from "../texts.ts";
import { later } from "./common.ts";

/** Every event goes through the function; what it leaves out is not handed over. */
export function events(change: (event: Event, nth: number) => readonly Event[]): Parts {
  return {
    host: (host) => {
      let nth = 0;
      return {
        accept: async ({ events: all, cursor }) => {
          const changed = all.flatMap((event) => {
            nth += 1;
            return change(event, nth);
          });
          await host.accept({ events: changed, cursor });
          return all.map(() => "stored");
        },
      };
    },
  };
}

/** In what comes from the network. */
export const inbound: readonly Mistake[] = [
  {
    name: "hands over what it said itself",
    foundBy: "what we post does not come back as an event",
    says: /came back as an event/,
    parts: events((event) => [{ ...event, echoOf: null }]),
  },
  {
    name: "drops an event",
    foundBy: "100 lines arrive in order, once",
    says: /waited .* for event 100/,
    parts: events((event, nth) => (nth === 50 ? [] : [event])),
  },
  {
    name: "hands an event over twice",
    foundBy: "100 lines arrive in order, once",
    says: /number 51 should be "line 50" and is "line 49"/,
    parts: events((event, nth) => (nth === 50 ? [event, event] : [event])),
  },
  {
    name: "hands events over in another order",
    foundBy: "100 lines arrive in order, once",
    says: /number 7 should be "line 6" and is "line 7"/,
    parts: {
      host: (host) => {
        let nth = 0;
        return {
          accept: async (batch) => {
            nth += 1;
            if (nth % 7 === 0) await later();
            return await host.accept(batch);
          },
        };
      },
    },
  },
  {
    name: "gives all events one key",
    foundBy: "100 lines arrive in order, once",
    says: /share a key/,
    parts: events((event) => [{ ...event, key: "k" as EventKey }]),
  },
  {
    name: "takes everything for ordinary",
    foundBy: "what a person says arrives: channel, author, text, style",
    says: /the style/,
    parts: events((event) => [
      event.kind === "posted" ? { ...event, body: { ...event.body, style: "normal" } } : event,
    ]),
  },
  {
    name: "says nothing of people",
    foundBy: "people who join, change names and leave are told",
    says: /member event 1 of change join/,
    parts: events((event) => (event.kind === "member" ? [] : [event])),
  },
  {
    name: "does not know who kicks",
    foundBy: "people who are kicked are told, with by whom and why",
    says: /who did it/,
    parts: events((event) => [
      event.kind === "member" && event.change === "leave"
        ? { ...event, text: `${event.author.name} was kicked` }
        : event,
    ]),
  },
  {
    name: "says nothing of topics",
    foundBy: "a new topic is told",
    says: /a topic event/,
    parts: events((event) => (event.kind === "topic" ? [] : [event])),
  },
  {
    name: "waits for nobody",
    foundBy: "while accept() waits intake is bounded, and nothing is lost",
    says: /had not resolved/,
    parts: {
      host: (host) => ({
        accept: (batch) => {
          void host.accept(batch);
          return Promise.resolve(batch.events.map(() => "stored"));
        },
      }),
    },
  },
  {
    name: "writes texts into the log",
    foundBy: "logs hold no texts and no secrets",
    says: /in the log/,
    parts: {
      host: (host) => ({
        accept: async (batch) => {
          for (const event of batch.events) {
            if (event.kind === "posted") host.log.debug({ text: wordsOf(event.body) }, "heard");
          }
          return await host.accept(batch);
        },
      }),
    },
  },
  {
    name: "hands events over after quiesce",
    foundBy: "after quiesce() no event comes, and posts still go out",
    says: /after quiesce\(\) had resolved/,
    parts: { session: () => ({ quiesce: () => Promise.resolve() }) },
  },
];
