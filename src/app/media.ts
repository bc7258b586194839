import type { Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import { StartError } from "../errors.ts";
import type { FileStore } from "../files/files.ts";
import { explainListenError } from "../http/listen.ts";
import type { ServerShare } from "../http/server-share.ts";
import type { MediaServer } from "../http/media/media-server.ts";
import { parseAddress } from "../lib/address.ts";
import type { Logger } from "../logger.ts";
import { describe } from "../lib/describe.ts";

/** Null when there is no media endpoint; its code is not even loaded then. Rejects with a StartError. */
export async function listenForMedia(
  { general }: Config,
  files: FileStore,
  { descriptors }: ServerShare,
  logger: Logger,
): Promise<MediaServer | null> {
  const { bindAddress } = general.media;
  if (bindAddress === null) return null;
  const address = parseAddress(bindAddress);
  if ("error" in address) throw new StartError("config", `MediaBindAddress: ${address.error}`, { remedy: "" });
  const { startMedia } = await import("../http/media/media-server.ts");
  const onError = (error: unknown): void => logger.error({ error: describe(error) }, "a file could not be served");
  try {
    const server = await startMedia({ files, address, descriptors, nowMs: () => systemClock.nowMs(), onError });
    logger.info({ address: bindAddress, url: general.media.endpoint?.url }, "the media endpoint listens");
    return server;
  } catch (error) {
    const message = `MediaBindAddress: cannot listen on ${bindAddress}: ${explainListenError(error)}`;
    throw new StartError("address_in_use", message, { cause: error, remedy: "" });
  }
}
