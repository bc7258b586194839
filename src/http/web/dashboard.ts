import type { FastifyReply, FastifyRequest } from "fastify";
import type { StaticFiles } from "../../lib/static-files.ts";
import { answerProblem, FAILED } from "../answers.ts";
import { problem } from "../api/problem.ts";
import { flawOf } from "../flaws.ts";
import { authorityOf, isOwnHost, type OwnNames } from "../own-host.ts";
import { type HttpApi, sendProblem } from "../server.ts";

/** Routes that everybody may read: the page has no data, and asks for a session. */
export const DASHBOARD_PATHS: ReadonlySet<string> = new Set(["/", "/assets/*"]);

export interface DashboardPage {
  readonly files: StaticFiles;
  /** As `Doors.names`, and with that of DashboardURL; unlike at older addresses they count with a token as well. */
  readonly names: () => OwnNames;
  /** Of a disk that does not work. */
  readonly onError: (error: unknown, path: string) => void;
}

/** Serves the dashboard. */
export function addDashboard({ app }: HttpApi, { files, names, onError }: DashboardPage): void {
  const answer = async (name: string, { raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const flaw = flawOf(raw);
    if (flaw !== null) {
      sendProblem(reply, flaw);
      return reply;
    }
    const authority = authorityOf(raw);
    if (authority === undefined || !isOwnHost(authority, names())) {
      sendProblem(reply, problem(421, STRANGE_NAME));
      return reply;
    }
    reply.hijack();
    try {
      if (!(await files.answer(name, raw, reply.raw))) answerProblem(reply.raw, problem(404, "Not Found"));
    } catch (error) {
      onError(error, "/");
      answerProblem(reply.raw, FAILED);
    }
    return reply;
  };
  app.get("/", async (request, reply) => await answer("index.html", request, reply));
  app.get<{ Params: { "*": string } }>("/assets/*", async (request, reply) => {
    return await answer(`assets/${request.params["*"]}`, request, reply);
  });
}

const STRANGE_NAME =
  "this address does not answer to that name: call it by its IP address or as localhost, set DashboardURL of [general], or add the name to AllowedHosts";
