import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { NS } from "./ns.ts";
import { Requests } from "./requests.ts";
import { XmppUploads } from "./upload.ts";
import { parsed } from "./xml.suite.ts";
import { attr, child, type Stanza } from "./xml.ts";

const DOMAIN = "example.org";

/** A server whose upload service comes later; `asked`: how often it was asked for what it has. */
function server() {
  const host = new RecordingHost();
  const state = { asked: 0, offers: false };
  const answer = (iq: Stanza): void => {
    const isItems = child(iq, "query", NS.discoItems) !== undefined;
    if (isItems) state.asked += 1;
    const feature = state.offers ? `<feature var="${NS.upload}"/>` : "";
    const query = isItems ? `<query xmlns="${NS.discoItems}"/>` : `<query xmlns="${NS.discoInfo}">${feature}</query>`;
    requests.take(parsed(`<iq from="${DOMAIN}" id="${attr(iq, "id")}" type="result">${query}</iq>`));
  };
  const send = (iq: Stanza): void => queueMicrotask(() => answer(iq));
  const requests = new Requests({ send, clock: host.clock, random: () => 0.5, self: () => "us@example.org/1" });
  const reach = { secure: false, verify: false, inside: true };
  return { state, uploads: new XmppUploads({ requests, host, domain: DOMAIN, reach }) };
}

test("a service that is not there yet when a room is joined is found by the first file", async () => {
  const { state, uploads } = server();
  await uploads.look();
  await uploads.look();
  expect(state.asked).toBe(1);
  state.offers = true;
  expect(await uploads.find()).toMatchObject({ jid: DOMAIN });
  await uploads.find();
  expect(state.asked).toBe(2);
});

test("what a room has found is not asked for again", async () => {
  const { state, uploads } = server();
  state.offers = true;
  await uploads.look();
  expect(await uploads.find()).toMatchObject({ jid: DOMAIN });
  expect(state.asked).toBe(1);
});
