import { describe, expect, test } from "vitest";
import { aGateway } from "../../../gateway/samples.suite.ts";
import { v1Stage } from "../stage.suite.ts";

describe("gateways", () => {
  test("are those of the account, with their bridges", async () => {
    const gateways = [
      aGateway("lobby", ["inout net.a #x", "out api.game api"]),
      aGateway("others", ["inout net.a #x", "inout net.b #y"]),
    ];
    const stage = await v1Stage({ gateways });
    const { status, body } = await stage.ask("GET", "/v1/gateways");
    expect(status).toBe(200);
    expect(body).toEqual({
      gateways: [
        {
          name: "lobby",
          bridges: [
            expect.objectContaining({ account: "net.a", channel: "#x", direction: "inout", state: "down" }),
            {
              account: "api.game",
              protocol: "api",
              channel: "api",
              direction: "out",
              state: "joined",
              since: null,
              why: null,
              remedy: null,
              capabilities: null,
            },
          ],
        },
      ],
    });
    expect((await stage.ask("GET", "/v1/gateways/lobby")).body).toMatchObject({ name: "lobby" });
    const problem = await stage.ask("GET", "/v1/gateways/others");
    expect(problem).toMatchObject({
      status: 404,
      body: { code: "not_found", detail: expect.stringContaining("lobby") as unknown },
    });
  });

  test("are those that the token sees", async () => {
    const stage = await v1Stage({ token: "secret" });
    const token = await stage.token({ gateways: ["den"] });
    expect((await stage.ask("GET", "/v1/gateways", { token })).body).toMatchObject({ gateways: [{ name: "den" }] });
    const { status, text } = await stage.ask("GET", "/v1/gateways/lobby", { token });
    expect(status).toBe(404);
    expect(text).not.toContain("net.a");
    const writer = await stage.token({ scopes: ["write"] });
    expect((await stage.ask("GET", "/v1/gateways", { token: writer })).status).toBe(403);
  });

  test("tell whose members nobody knows", async () => {
    const stage = await v1Stage();
    const { body } = await stage.ask("GET", "/v1/gateways/lobby/members");
    expect(body).toEqual({ members: [], unknown: [{ account: "net.a", channel: "#x" }], truncated: false });
  });
});
