import { mkdtempSync, rmSync } from "node:fs";
import { mint } from "../contract/ids.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freePorts } from "../../test/support/ports.ts";
import { type App, startApp } from "./app.ts";
import { load } from "../cli/load.ts";
import type { Config } from "../config/config.ts";
import type { Message } from "../contract/message.ts";
import { fileId } from "../files/file-id.ts";
import { encodeStored } from "../gateway/codec.ts";
import { aFile, aMessage } from "../gateway/samples.suite.ts";
import { subjectOf } from "../gateway/subject.ts";
import { Scrubber } from "../lib/scrub.ts";
import { createLogger } from "../logger.ts";
import { openSqliteLog } from "../log/sqlite/open.ts";

async function configOf(dataPath: string): Promise<{ readonly config: Config; readonly media: string }> {
  const [api = 0, media = 0, nobody = 0] = await freePorts(3);
  const text = `[general]
DataPath = "${dataPath}"
MediaBindAddress = "127.0.0.1:${media}"
[api.reader]
BindAddress = "127.0.0.1:${api}"
[irc.net]
Server = "127.0.0.1:${nobody}"
Nick = "rialto"
[[gateway]]
name = "g"
enable = true
[[gateway.inout]]
account = "irc.net"
channel = "#room"
[[gateway.inout]]
account = "api.reader"
channel = "api"
`;
  const loaded = load({ text, format: "toml", name: "t" }, { env: {}, cwd: "/" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return { config: loaded.config, media: `http://127.0.0.1:${media}` };
}

async function running(config: Config): Promise<App> {
  const app = await startApp(
    config,
    createLogger({
      debug: false,
      format: "json",
      file: join(config.general.dataPath, "log"),
      scrubber: new Scrubber(),
    }),
  );
  onTestFinished(() => app.stop());
  return app;
}

test("a reader gets links to the files of networks, which lead to the media endpoint", async () => {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-app-"));
  onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }));
  const { config, media } = await configOf(dataPath);
  await (await running(config)).stop();
  const log = await openSqliteLog(config.general);
  const origin = (ref: string) => fileId({ is: "remote", account: "irc.net", ref: mint("FileRef", ref) });
  const message = aMessage({
    account: "irc.net",
    protocol: "irc",
    avatar: "",
    Extra: { file: [aFile({ Name: "cat 1.png", URL: "", Data: "" })] },
  });
  const payload = encodeStored({
    message,
    source: null,
    about: null,
    files: [origin("f")],
    avatar: origin("p"),
    topic: null,
  });
  const entry = { subject: subjectOf("irc.net", "#room"), key: null, label: "", payload };
  await log.append({ account: "irc.net", entries: [entry] });
  await log.close();

  const app = await running(config);
  const answer = await fetch(`${app.addresses.get("api.reader") ?? ""}/api/messages`);
  const [got] = (await answer.json()) as Message[];
  const links = [got?.Extra?.file[0]?.URL ?? "", got?.avatar ?? ""];
  expect(links.map((link) => link.replace(/[\w-]{80,}/u, "<token>"))).toEqual([
    `${media}/media/<token>/cat_1.png`,
    `${media}/media/<token>/avatar`,
  ]);
  for (const link of links) {
    const file = await fetch(link);
    // Its network is not there.
    expect([file.status, await file.text()]).toEqual([503, "This file is not available now. Try again later.\n"]);
  }
});
