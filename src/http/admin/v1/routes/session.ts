import type { ProxiedView } from "../../../../access/proxied.ts";
import type { SessionView } from "../../../../access/sessions.ts";
import { isObject } from "../../../../lib/shapes.ts";
import { ProblemError } from "../../../v1/problems.ts";
import { type JsonSchema, ok, type Route } from "../../../v1/route.ts";
import type { AdminV1Deps } from "../deps.ts";
import { cookieOf, secretsIn } from "../session-deps.ts";

const ms = (description: string): JsonSchema => ({ type: "integer", description: `${description} In Unix ms.` });

const SessionSchema = {
  type: "object",
  required: ["id", "user", "createdMs", "usedMs", "expiresMs", "current", "agent"],
  properties: {
    id: { type: "string" },
    user: {
      type: ["string", "null"],
      description: "Whom the web server in front has signed in, which alone can end it. Null: who came by a link.",
    },
    createdMs: ms("When it began; of a user, when Rialto first saw them since its start."),
    usedMs: ms("The hour of its last use."),
    expiresMs: {
      type: ["integer", "null"],
      description: "When it ends unless it is used. In Unix ms. Null of a user.",
    },
    current: { type: "boolean", description: "It is the one that asks." },
    agent: { type: "string", description: "What its browser called itself." },
  },
} as const satisfies JsonSchema;

/** Signing in with a link, and out. */
export const sessionRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "POST",
    path: "/v1/session",
    needs: null,
    id: "signIn",
    summary: "Makes a session of a link's secret",
    about:
      "`rialto dashboard` prints a link, `…/#login=<secret>`, which counts once and for 10 minutes. The answer sets a cookie. With it, every request but GET needs the header `X-Rialto: 1` and an `Origin` of this address.",
    body: {
      type: "object",
      additionalProperties: false,
      required: ["login"],
      properties: { login: { type: "string", minLength: 1, maxLength: 200, description: "What follows `#login=`." } },
    },
    answers: {
      201: {
        about: "Signed in.",
        schema: {
          type: "object",
          required: ["name", "expiresMs"],
          properties: { name: { type: "string" }, expiresMs: ms("When it ends unless it is used.") },
        },
      },
      401: { about: "The link is wrong, was used already, or is older than 10 minutes." },
      429: { about: "There were too many wrong ones." },
    },
    handle: async ({ body, request }, { session: { logins, sessions, cookie } }) => {
      const login = isObject(body) ? String(body["login"]) : "";
      const redeemed = logins.redeem(login);
      if (redeemed.is === "too-many") {
        const headers = { "Retry-After": String(redeemed.retryAfterS) };
        throw new ProblemError("rate_limited", "too many links were tried that do not count", { headers });
      }
      if (redeemed.is === "wrong") {
        throw new ProblemError("unauthorized", USED);
      }
      const { secret, view } = await sessions.create(request.headers["user-agent"] ?? "");
      const { expiresMs, createdMs } = view;
      const headers = { "Set-Cookie": cookieOf(cookie(), secret, (expiresMs - createdMs) / 1000) };
      return { status: 201, body: { name: "operator", expiresMs }, headers };
    },
  },
  {
    method: "GET",
    path: "/v1/session",
    needs: "any",
    id: "getSession",
    summary: "Who asks",
    about: "Of a session, the browser keeps the cookie for another 30 days.",
    answers: {
      200: {
        about:
          "`expiresMs`: null for tokens, and for whom the web server in front has signed in, whose name is `name`.",
        schema: {
          type: "object",
          required: ["name", "by", "expiresMs"],
          properties: {
            name: { type: "string" },
            by: { enum: ["session", "configuration", "token", "proxy"] },
            expiresMs: { type: ["integer", "null"] },
          },
        },
      },
    },
    handle: ({ access, request }, { session: { sessions, cookie } }) => {
      const { name, by } = access;
      const view = access.session === undefined ? null : sessions.get(access.session);
      const secrets = secretsIn(request.headers, cookie());
      const secret = secrets.find((each) => sessions.verify(each)?.session === access.session);
      const body = { name, by, expiresMs: view?.expiresMs ?? null };
      if (view === null || secret === undefined) return ok(body);
      const seconds = (view.expiresMs - view.usedMs) / 1000;
      return { status: 200, body, headers: { "Set-Cookie": cookieOf(cookie(), secret, seconds) } };
    },
  },
  {
    method: "DELETE",
    path: "/v1/session",
    needs: "any",
    id: "signOut",
    summary: "Ends the session that asks",
    answers: {
      204: { about: "Signed out." },
      404: { about: "Whoever asks has a token or was signed in by the web server in front, and has no session." },
    },
    handle: async ({ access }, { session: { sessions, cookie } }) => {
      if (access.by === "proxy")
        throw new ProblemError("not_found", "the web server in front of Rialto has signed you in: sign out there");
      if (access.session === undefined) throw new ProblemError("not_found", "this is no session, but a token");
      await sessions.revoke(access.session);
      return { status: 204, headers: { "Set-Cookie": cookieOf(cookie(), "", 0) } };
    },
  },
  {
    method: "GET",
    path: "/v1/admin/sessions",
    needs: "admin",
    id: "listSessions",
    summary: "The browsers that are signed in, and who was signed in by the web server in front",
    answers: {
      200: {
        about: "The one that was used last first.",
        schema: {
          type: "object",
          required: ["sessions"],
          properties: { sessions: { type: "array", items: SessionSchema } },
        },
      },
    },
    handle: ({ access }, { session: { sessions, proxied } }) => {
      const own = sessions.list().map((view) => sessionJson(view, view.id === access.session));
      const users = proxied.list().map((view) => userJson(view, access.by === "proxy" && access.name === view.user));
      return ok({ sessions: [...own, ...users].toSorted((one, other) => other.usedMs - one.usedMs) });
    },
  },
  {
    method: "DELETE",
    path: "/v1/admin/sessions/{id}",
    needs: "admin",
    id: "endSession",
    summary: "Ends a session, and what it holds open",
    answers: { 204: { about: "Ended." }, 404: { about: "There is no such session." } },
    handle: async ({ params }, { session: { sessions } }) => {
      if (await sessions.revoke(params["id"] ?? "")) return { status: 204 };
      throw new ProblemError("not_found", "there is no such session; GET /v1/admin/sessions lists them");
    },
  },
];

const sessionJson = (view: SessionView, current: boolean) => ({ ...view, user: null, current });
const userJson = (view: ProxiedView, current: boolean) => ({ id: "", ...view, expiresMs: null, current });

const USED =
  "this link does not count: it was used already, is older than 10 minutes, or Rialto was started again since; `rialto dashboard` prints another one";
