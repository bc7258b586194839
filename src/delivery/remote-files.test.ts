import { expect, test } from "vitest";
import type { FileRef } from "../contract/ids.ts";
import type { OpenedFile, Session } from "../contract/session.ts";
import { aConfig, anAccount } from "../gateway/samples.suite.ts";
import { RemoteFiles } from "./remote-files.ts";

const REF = "ref" as FileRef;
const { signal } = new AbortController();

function sessionWith(open?: (ref: FileRef) => Promise<OpenedFile>): Pick<Session, "openFile"> {
  return open === undefined ? {} : { openFile: open };
}

const found = (message: string) => (): Promise<OpenedFile> =>
  Promise.resolve({ ok: false, why: { code: "not_found", message } });

test("a file is asked for at the session that the account has now", async () => {
  const files = new RemoteFiles();
  expect(await files.open("net.a", REF, signal)).toMatchObject({ ok: false, why: { code: "network" } });
  const first = files.attach("net.a", sessionWith(found("first")));
  files.attach("net.b", sessionWith(found("other")));
  expect(await files.open("net.a", REF, signal)).toMatchObject({ why: { message: "first" } });
  const second = files.attach("net.a", sessionWith(found("second")));
  first();
  expect(await files.open("net.a", REF, signal)).toMatchObject({ why: { message: "second" } });
  second();
  expect(await files.open("net.a", REF, signal)).toMatchObject({ why: { code: "network" } });
});

test("a session without files, and one that throws, are values", async () => {
  const files = new RemoteFiles();
  files.attach("net.a", sessionWith());
  expect(await files.open("net.a", REF, signal)).toMatchObject({ ok: false, why: { code: "unsupported" } });
  files.attach(
    "net.a",
    sessionWith(() => Promise.reject(new Error("oops"))),
  );
  expect(await files.open("net.a", REF, signal)).toMatchObject({ ok: false, why: { code: "bug" } });
});

test("an account has its own proxy, none if it says so, and otherwise that of [general]", () => {
  const files = new RemoteFiles();
  expect(files.proxyFor("net.a")).toBe("");
  const own = { ...anAccount("net.a"), settings: { Proxy: "http://a:1" } };
  const none = { ...anAccount("net.none"), settings: { Proxy: "" } };
  const { accounts, general } = aConfig([], [own, none, anAccount("net.other")]);
  files.follow({ accounts, general: { ...general, proxy: "http://general:1" } });
  expect(["net.a", "net.none", "net.other", "net.gone", undefined].map((key) => files.proxyFor(key))).toEqual([
    "http://a:1",
    "",
    "http://general:1",
    "http://general:1",
    "http://general:1",
  ]);
});
