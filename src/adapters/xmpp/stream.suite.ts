/** Streams to scripted servers. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Credentials } from "./login.ts";
import { Stream } from "./stream.ts";

export const HEADER =
  "<?xml version='1.0'?><stream:stream from='localhost' version='1.0' id='1' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";
export const SASL = "urn:ietf:params:xml:ns:xmpp-sasl";
export const BIND = "urn:ietf:params:xml:ns:xmpp-bind";

export const features = (inner: string): string => `${HEADER}<stream:features>${inner}</stream:features>`;

export const mechanisms = (...names: readonly string[]): string =>
  `<mechanisms xmlns='${SASL}'>${names.map((name) => `<mechanism>${name}</mechanism>`).join("")}</mechanisms>`;

/** A stream to a server that does this with the connection. */
export async function streamTo(
  server: (socket: Socket) => void,
  given: Partial<Credentials> = {},
  clock = new FakeClock(),
): Promise<Stream> {
  const listener = createServer((socket) => {
    socket.on("error", () => undefined);
    server(socket);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => void listener.close());
  const socket = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  const credentials = {
    user: "rialto",
    password: "x",
    anonymous: false,
    mechanism: "",
    noPlain: false,
    plainInClear: false,
    ...given,
  };
  return new Stream({ socket, secure: false, domain: "localhost", place: "here", credentials, clock });
}
