import { ProblemError } from "../problems.ts";
import type { Route } from "../route.ts";
import { TICKET_MS } from "../tickets.ts";

export const ticketsRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/tickets",
    needs: "token",
    id: "createTicket",
    summary: "A ticket for one stream or socket.",
    about:
      "Browsers cannot send `Authorization` with an EventSource or a WebSocket. A ticket stands in its address once, " +
      "as `?ticket=`, within 30 s, and has the rights of the token that it was made with. An account without a Token needs none.",
    answers: {
      201: {
        about: "The ticket.",
        schema: {
          type: "object",
          properties: { ticket: { type: "string" }, expires: { type: "string", format: "date-time" } },
          required: ["ticket", "expires"],
        },
      },
    },
    handle: ({ access }, { tickets, clock }) => {
      const ticket = tickets.issue(access);
      if (ticket === null) {
        const headers = { "Retry-After": String(TICKET_MS / 1000) };
        throw new ProblemError("rate_limited", "too many tickets wait for their use", { headers });
      }
      return { status: 201, body: { ticket, expires: new Date(clock.nowMs() + TICKET_MS).toISOString() } };
    },
  },
];
