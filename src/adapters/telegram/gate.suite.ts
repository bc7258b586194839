import { onTestFinished } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addPerson, type Folk, install } from "../../../test/servers/telegram/people.ts";
import { FakeTelegram, type TelegramOptions } from "../../../test/servers/telegram/server.ts";
import type { BotRow, ChatRow } from "../../../test/servers/telegram/wire.ts";
import { Http } from "../kit/http.ts";
import { TelegramApi } from "./api.ts";
import { apiOf, isHere } from "./settings.ts";

/** A server with a supergroup, a person, and our bot in the group, which is told all that is said there. */
export interface TelegramGate {
  readonly server: FakeTelegram;
  readonly group: ChatRow;
  readonly alice: Folk;
  readonly bot: BotRow;
}

export async function telegramGate(options: TelegramOptions = {}): Promise<TelegramGate> {
  const server = await FakeTelegram.start(options);
  onTestFinished(async () => await server.stop());
  const alice = addPerson(server, "Alice", { username: "alice" });
  const group = server.world.addSupergroup("town", alice.user);
  const bot = install(server, "rialto", [group]);
  bot.hasPrivacy = false;
  return { server, group, alice, bot };
}

export function apiOn(
  { server, bot }: TelegramGate,
  more: { readonly host?: RecordingHost; readonly token?: string; readonly base?: string } = {},
): TelegramApi {
  const { host = new RecordingHost(), token = bot.token, base: ApiURL = server.url } = more;
  const http = new Http(host.clock);
  onTestFinished(() => http.close());
  return new TelegramApi({ http, clock: host.clock, base: apiOf({ ApiURL }), token, isHere: isHere({ ApiURL }) });
}
