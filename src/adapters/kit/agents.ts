import type http from "node:http";
import https from "node:https";
import { Agent } from "../../lib/node-http.ts";
import { SecureTunnelAgent, TunnelAgent } from "../../lib/tunnel-agents.ts";
import { type ServerTrust, trustOptions } from "./trust.ts";

/** Who makes the connections of requests, by the protocol of their address. */
export interface Agents {
  readonly "http:": http.Agent;
  readonly "https:": https.Agent;
}

/** Agents whose connections lead to a server in this way: through its proxy, if it has one. */
export function agentsFor(trust: ServerTrust, options: http.AgentOptions): Agents {
  const secure = { ...options, ...trustOptions(trust) };
  const { proxy } = trust;
  if (proxy === null || proxy === undefined) return { "http:": new Agent(options), "https:": new https.Agent(secure) };
  return { "http:": new TunnelAgent(proxy, options), "https:": new SecureTunnelAgent(proxy, secure) };
}

/** The agent for an address, as Node's requests and `ws` take it. */
export function agentFor({ protocol }: URL, trust: ServerTrust): http.Agent {
  const isSecure = protocol === "https:" || protocol === "wss:";
  return agentsFor(trust, { keepAlive: false })[isSecure ? "https:" : "http:"];
}
