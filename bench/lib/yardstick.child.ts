import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Message } from "../../src/contract/message.ts";
import { answerCommands } from "./child.ts";

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const posted = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Pick<Message, "text" | "username" | "gateway">;
    const answer = `${JSON.stringify(complete(posted))}\n`;
    response.writeHead(200, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});

function complete(posted: Pick<Message, "text" | "username" | "gateway">): Message {
  return {
    text: posted.text,
    channel: "api",
    username: posted.username,
    userid: "",
    avatar: "",
    account: "api.poster",
    event: "",
    protocol: "api",
    gateway: posted.gateway,
    parent_id: "",
    timestamp: new Date().toISOString(),
    id: "",
    Extra: null,
  };
}

answerCommands(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
});
