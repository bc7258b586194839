import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { Handlers } from "../../contract/session.ts";
import { onAbort } from "../../lib/abort.ts";
import { proxyOf } from "../../lib/proxy.ts";
import { dialServer } from "./dial.ts";
import { givenUp, misconfigured, placeName, placeOf } from "../kit/ends.ts";
import type { capabilities } from "./capabilities.ts";
import { domainOf, localOf } from "./jid.ts";
import { XmppSession } from "./live.ts";
import { isLocal, tlsOf, type XmppSettings } from "./settings.ts";
import { Stream } from "./stream.ts";

/** Connects to an XMPP server and logs in. What the session needs of the world it takes from the host. */
export async function open(args: OpenArgs<XmppSettings>): Promise<Opened<Handlers<typeof capabilities>>> {
  const { settings, host, since, signal } = args;
  const { Server, Jid, Password, Anonymous, Mechanism, NoPLAIN, SkipTLSVerify } = settings;
  const place = placeOf(Server);
  if (place === null) {
    return { ok: false, ended: misconfigured("Server must be host:port, such as jabber.example.org:5222") };
  }
  const user = localOf(Jid);
  const domain = domainOf(Jid) || place.host;
  if (!Anonymous && user === null) {
    return { ok: false, ended: misconfigured("Jid must be the account's address, such as user@example.org") };
  }
  const tls = tlsOf(settings);
  const proxy = proxyOf(settings.Proxy);
  const dialled = await dialServer({ ...place, domain, tls, verify: !SkipTLSVerify, proxy }, host.clock, signal);
  if (!dialled.ok) return dialled;
  const credentials = {
    user: user ?? "",
    password: Password,
    anonymous: Anonymous,
    mechanism: Mechanism,
    noPlain: NoPLAIN,
    plainInClear: settings.NoTLS,
  };
  const stream = new Stream({ ...dialled, domain, place: placeName(place), credentials, clock: host.clock });
  const release = onAbort(signal, () => stream.end(givenUp()));
  const failure = await stream.begin();
  release();
  if (failure !== null) return { ok: false, ended: failure };
  if (tls === "none" && !isLocal(Server)) {
    const why = "everybody on the way can read everything, and the password too if it was sent as PLAIN";
    host.log.warn({ server: Server, why }, "connected WITHOUT TLS");
  }
  return { ok: true, session: new XmppSession({ stream, settings, host, since }) };
}
