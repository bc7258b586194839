import type { Socket } from "node:net";
import { STATUS_CODES } from "../lib/node-http.ts";
import { problemBody } from "./api/problem.ts";
import type { HttpServer } from "./http-server.ts";

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Answers bytes that are not a whole HTTP request, after the answers that are due, and closes the connection. */
export function answerClientError(server: HttpServer, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET") return void socket.destroy();
  const { status, message } = refusalOf(error.code);
  const body = problemBody(message);
  server.refuse(
    socket,
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, message: "the header of the request is too large" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "the whole request did not arrive within 60 s" };
    case undefined:
    default:
      return { status: 400, message: `the request is not valid HTTP (${code ?? "unreadable"})` };
  }
}
