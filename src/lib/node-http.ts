/**
 * Node's HTTP without an `import` of it. That would read all its exports, and one of them (`WebSocket`) loads a client
 * that Rialto has no use for: 2 MiB, and 10 ms of each start.
 */
export const { Agent, get, request, Server, STATUS_CODES } = process.getBuiltinModule("node:http");
