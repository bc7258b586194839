import { readFile } from "node:fs/promises";
import type { FastifyReply } from "fastify";
import { problem } from "../api/problem.ts";
import { authorityOf } from "../own-host.ts";
import { type HttpApi, sendProblem } from "../server.ts";
import { bothSides, oneSide, type ExamplePage, type Side, STYLE } from "./pages.ts";

/** Compiled from `side.ts`. */
const SCRIPT = new URL("side.js", import.meta.url);

/**
 * The pages of the built-in example at the address of one account. `sides`: all accounts; null until all of them
 * listen.
 */
export function addExampleRoutes({ app }: HttpApi, account: string, sides: () => readonly Side[] | null): void {
  const sendPage = (reply: FastifyReply, page: ExamplePage): FastifyReply =>
    send(reply.header("Content-Security-Policy", page.policy), "text/html", page.html);
  app.get("/", (request, reply) => {
    const all = sides();
    const own = all?.find((side) => side.account === account);
    if (all === null || own === undefined) return refuse(reply);
    // The sides let only pages of their own addresses frame them, and one can be called by more names than that.
    const host = authorityOf(request.raw);
    if (host !== undefined && originOf(`http://${host}`) !== originOf(own.url)) return reply.redirect(`${own.url}/`);
    return sendPage(reply, bothSides(all));
  });
  app.get("/side", (_request, reply) => {
    const all = sides();
    const own = all?.find((side) => side.account === account);
    return all === null || own === undefined ? refuse(reply) : sendPage(reply, oneSide(own, all));
  });
  app.get("/side.js", async (_request, reply) => send(reply, "text/javascript", await readFile(SCRIPT)));
  app.get("/side.css", (_request, reply) => send(reply, "text/css", STYLE));
}

/** Without the port that needs no name; null: it is not an address. */
const originOf = (url: string): string | null => URL.parse(url)?.origin ?? null;

function refuse(reply: FastifyReply): FastifyReply {
  sendProblem(reply, { ...problem(503, "Rialto is starting; try again"), retryAfterS: 1 });
  return reply;
}

function send(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply
    .header("Content-Type", `${type}; charset=utf-8`)
    .header("Cache-Control", "no-store")
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", "no-referrer")
    .send(content);
}
