import { expect, test } from "vitest";
import type { Access } from "../../access/access.ts";
import { Doorman } from "./doorman.ts";

const ACCOUNT = { key: "api.game", name: "api.game" };
const bot: Access = {
  account: ACCOUNT.key,
  scopes: new Set(["read"]),
  gateways: null,
  by: "token",
  token: "abcdefgh",
  name: "bot",
  ended: new AbortController().signal,
};

const codeOrWho = (token: string | null, credential: string): string => {
  const verify = (text: string): Access | null => (text === "rlt_bot" ? bot : null);
  const doorman = new Doorman({ account: ACCOUNT, token, names: null, verify, redeem: () => null });
  const headers = { authorization: `Bearer ${credential}` };
  const knock = {
    method: "GET",
    url: "/v1/me",
    path: "/v1/me",
    search: "",
    headers,
    rawHeaders: [],
    socket: { remoteAddress: undefined },
  };
  try {
    return doorman.admit(knock, { needs: "any" }).by;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test("the Token of the configuration counts also where it begins as one of Rialto's", () => {
  expect(codeOrWho("rlt_of-our-own", "rlt_of-our-own")).toBe("configuration");
  expect(codeOrWho("rlt_of-our-own", "rlt_bot")).toBe("token");
  expect(codeOrWho("rlt_of-our-own", "rlt_of-another")).toBe("unauthorized");
});

test("without such a Token, what begins so is one of Rialto's or nothing", () => {
  expect(codeOrWho("sesam", "rlt_bot")).toBe("token");
  expect(codeOrWho("sesam", "rlt_of-our-own")).toBe("unauthorized");
  expect(codeOrWho(null, "rlt_of-our-own")).toBe("unauthorized");
});
