import { expect, test } from "vitest";
import { v1Stage, STAGE_ACCOUNT } from "../stage.suite.ts";

test("an account is paused by who may do everything, and only one that it shares a gateway with", async () => {
  const stage = await v1Stage({});
  const pause = async (account: string, token: string): Promise<string> => {
    const { status, body } = await stage.ask("POST", `/v1/admin/accounts/${account}/pause`, { token });
    return `${status} ${(body as { readonly detail?: string }).detail ?? ""}`;
  };
  const admin = await stage.token({ scopes: ["admin"] });
  const limited = await stage.token({ scopes: ["admin"], gateways: ["lobby"] });
  expect(await pause("net.a", limited)).toMatch(/^403 .*limited to gateways/u);
  expect(await pause("net.a", await stage.token())).toMatch(/^403 /u);
  expect(await pause("net.nowhere", admin)).toMatch(/^404 there is no account/u);
  expect(await pause(STAGE_ACCOUNT, admin)).toMatch(/^409 .*has no session/u);
  // Nothing is connected on this stage.
  expect(await pause("NET.A", admin)).toBe("404 the account NET.A is not open");
});
