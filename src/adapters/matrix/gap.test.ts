import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { Client } from "./client.ts";
import { fillGap } from "./gap.ts";
import type { Http, HttpAnswer } from "../kit/http.ts";

/** A client of a homeserver whose pages are these texts. */
function clientOf(...pages: readonly string[]): Client {
  const rest = [...pages];
  const request = (): Promise<HttpAnswer> =>
    Promise.resolve({ is: "answer", status: 200, headers: {}, text: rest.shift() ?? "{}" });
  return new Client({ http: { request } as unknown as Http, server: "https://e.example", token: null });
}

const said = (id: string): object => ({ event_id: id, type: "m.room.message", sender: "@a:b", content: {} });

async function filled(client: Client): Promise<readonly string[]> {
  const found = await fillGap({
    client,
    log: new RecordingHost().log,
    room: "!r:b",
    user: "@us:b",
    from: "p0",
    to: "s1",
    known: new Set(),
    signal: new AbortController().signal,
  });
  return found.ok ? found.value.events.map(({ id }) => id) : [found.failure.why.message];
}

test("a page may be nested deeper than any stack", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const page = JSON.stringify({ chunk: [said("$1")] });
  expect(await filled(clientOf(`{"deep":${deep},${page.slice(1)}`))).toEqual(["$1"]);
});

test("a page that holds too much is asked for again with fewer events", async () => {
  const asked: (string | null)[] = [];
  const pages = [`{"chunk":[${"[],".repeat(600_000)}0]}`, JSON.stringify({ chunk: [said("$1")] })];
  const request = ({ url }: { readonly url: URL }): Promise<HttpAnswer> => {
    asked.push(url.searchParams.get("limit"));
    return Promise.resolve({ is: "answer", status: 200, headers: {}, text: pages.shift() ?? "{}" });
  };
  const http = { request } as unknown as Http;
  expect(await filled(new Client({ http, server: "https://e.example", token: null }))).toEqual(["$1"]);
  expect(asked).toEqual(["100", "10"]);
});

test("pages that take too much room are not all read", async () => {
  const large = (id: string, end: string): string =>
    JSON.stringify({ chunk: [said(id)], end, padding: "x".repeat(20 << 20) });
  expect(await filled(clientOf(large("$3", "p1"), large("$2", "p2"), large("$1", "p3")))).toEqual(["$2", "$3"]);
});
