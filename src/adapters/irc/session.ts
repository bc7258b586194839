import { readFile } from "node:fs/promises";
import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { Handlers } from "../../contract/session.ts";
import { charsetOf } from "./wire/charset.ts";
import type { capabilities } from "./capabilities.ts";
import { connect, type IrcEndpoint } from "./wire/connection.ts";
import { misconfigured, placeOf } from "../kit/ends.ts";
import { proxyOf } from "../../lib/proxy.ts";
import { IrcSession } from "./live.ts";
import { Pace } from "./sending/pace.ts";
import type { IrcSettings } from "./settings.ts";

/** By the settings of an account, which stay the same ones until they are changed. */
const paces = new WeakMap<IrcSettings, Pace>();

/** Connects to an IRC server and logs in. What the session needs of the world it takes from the host. */
export async function open(args: OpenArgs<IrcSettings>): Promise<Opened<Handlers<typeof capabilities>>> {
  const { settings, host, since, signal } = args;
  const charset = charsetOf(settings.Charset);
  if (charset === null) {
    const name = JSON.stringify(settings.Charset);
    return { ok: false, ended: misconfigured(`Charset ${name} is not known; most networks use utf-8`) };
  }
  const endpoint = await endpointOf(settings);
  if ("error" in endpoint) return { ok: false, ended: misconfigured(endpoint.error) };
  const connected = await connect({ endpoint, clock: host.clock, signal });
  if (!connected.ok) return connected;
  const pace = paces.get(settings) ?? new Pace(settings.MessageDelay, host.clock);
  paces.set(settings, pace);
  const session = new IrcSession({ connection: connected.connection, charset, pace, settings, host, since });
  const failure = await session.begin(signal);
  return failure === null ? { ok: true, session } : { ok: false, ended: failure };
}

async function endpointOf(settings: IrcSettings): Promise<IrcEndpoint | { readonly error: string }> {
  const { Server, Bind, Proxy, UseTLS, SkipTLSVerify, TLSClientCertificate } = settings;
  const place = placeOf(Server);
  if (place === null) return { error: "Server must be host:port, such as irc.libera.chat:6697" };
  const plain = { ...place, bind: Bind, proxy: proxyOf(Proxy), tls: null };
  if (!UseTLS) return plain;
  if (TLSClientCertificate === "") return { ...plain, tls: { verify: !SkipTLSVerify, identity: null } };
  try {
    return { ...plain, tls: { verify: !SkipTLSVerify, identity: await readFile(TLSClientCertificate, "utf8") } };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return { error: `TLSClientCertificate cannot be read (${code}): ${TLSClientCertificate} must be a PEM file` };
  }
}
