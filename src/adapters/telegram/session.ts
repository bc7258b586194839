import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { Handlers } from "../../contract/session.ts";
import { Http } from "../kit/http.ts";
import { publicBy } from "../kit/trust.ts";
import { TelegramApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { TelegramSession } from "./live.ts";
import { logIn } from "./login.ts";
import { TelegramPositions } from "./positions.ts";
import { apiOf, isHere, type TelegramSettings } from "./settings.ts";
import { loadSharp } from "./sharp.ts";
import { stickerPainter } from "./stickers.ts";
import { loadCanvasKit } from "./tgs.ts";

type TelegramOpened = Opened<Handlers<typeof capabilities>>;

/**
 * Logs a bot in, and takes up what happens in its chats. `loadPainter`, `loadMoving`: of what makes stickers that stand
 * still PNG, and those that move.
 */
export async function open(
  { settings, host, since, trial, signal }: OpenArgs<TelegramSettings>,
  loadPainter = loadSharp,
  loadMoving = loadCanvasKit,
): Promise<TelegramOpened> {
  const { clock } = host;
  // The poll has a connection that no files and look-ups can take from it.
  const trust = publicBy(settings.Proxy);
  const [http, polls] = [new Http(clock, trust), new Http(clock, trust)];
  const options = { clock, base: apiOf(settings), token: settings.Token, isHere: isHere(settings) };
  const api = new TelegramApi({ ...options, http });
  const close = (): void => {
    http.close();
    polls.close();
  };
  const login = await logIn({ api, isFirst: since === null && trial !== true, signal });
  if (!login.ok) {
    close();
    return login;
  }
  const { me, last } = login;
  const positions = new TelegramPositions(since);
  if (last !== null) {
    positions.seen(last);
    positions.durable(last);
    await host.accept({ events: [], cursor: positions.take() });
  }
  const poller = new TelegramApi({ ...options, http: polls });
  host.log.debug({ user: me.username, id: me.id }, "logged in");
  const webp = await stickerPainter(settings, host.log, async () => await loadPainter());
  const painters = { webp, tgs: settings.MediaConvertTgs === "" ? null : loadMoving(clock) };
  return { ok: true, session: new TelegramSession({ settings, host, api, poller, me, positions, close, painters }) };
}
