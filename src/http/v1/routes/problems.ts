import { PROBLEMS, ProblemError } from "../problems.ts";
import { ok, type Route } from "../route.ts";

const view = (code: string, { status, title, remedy }: (typeof PROBLEMS)[keyof typeof PROBLEMS]) => ({
  code,
  type: `/v1/problems/${code}`,
  status,
  title,
  remedy,
});

const all = Object.entries(PROBLEMS).map(([code, problem]) => view(code, problem));

const schema = {
  type: "object",
  properties: {
    code: { type: "string" },
    type: { type: "string" },
    status: { type: "integer" },
    title: { type: "string" },
    remedy: { type: "string", description: "What a person can do about it." },
  },
  required: ["code", "type", "status", "title", "remedy"],
};

export const problemsRoutes: readonly Route<unknown>[] = [
  {
    method: "GET",
    path: "/v1/problems",
    needs: null,
    id: "listProblems",
    summary: "Every refusal there is.",
    answers: {
      200: {
        about: "All of them.",
        schema: { type: "object", properties: { problems: { type: "array", items: schema } } },
      },
    },
    handle: () => ok({ problems: all }),
  },
  {
    method: "GET",
    path: "/v1/problems/{code}",
    needs: null,
    id: "getProblem",
    summary: "What a refusal means: `type` of its answer leads here.",
    answers: { 200: { about: "The refusal.", schema }, 404: { about: "There is no such code." } },
    handle: ({ params }) => {
      const found = all.find(({ code }) => code === params["code"]);
      if (found === undefined) throw new ProblemError("not_found", "there is no such code; see /v1/problems");
      return ok(found);
    },
  },
];
