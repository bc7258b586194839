import type { App } from "../app/app.ts";
import type { Logger } from "../logger.ts";
import type { Systemd } from "./systemd.ts";
import { watchFile } from "./watch-file.ts";

/** Requests to read the configuration again, from the start of the program. */
export interface ReloadRequests {
  /** Calls back at each request, and at once if there was one before. */
  follow(task: () => void): void;
  /** The file has this content now (SHA-256, base64), and nobody needs to be called for it. */
  expect(digest: string): void;
}

/**
 * SIGHUP, which would end the program without a listener, and a change of the file's content. `path`: null when there
 * is none. For good.
 */
export function listenForReloads(path: string | null, logger: Logger): ReloadRequests {
  let early = false;
  let task = (): void => {
    early = true;
  };
  process.on("SIGHUP", () => task());
  const failed = (why: string): void =>
    logger.warn({ path, why }, "the configuration file is not watched: send SIGHUP to reload it");
  const watch = path === null ? null : watchFile(path, { changed: () => task(), failed });
  return {
    expect: (digest) => watch?.expect(digest),
    follow: (given) => {
      task = given;
      if (early) given();
    },
  };
}

/** Reloads the configuration each time somebody asks for it. */
export function followReloads(
  { reload }: Pick<App, "reload">,
  { asked, systemd, logger }: { readonly asked: ReloadRequests; readonly systemd: Systemd; readonly logger: Logger },
): void {
  asked.follow(() => {
    if (reload === null) {
      logger.info("there is no configuration file to reload");
      return;
    }
    systemd.reloading();
    void reload().then(({ is }) => systemd.ready(`the configuration: ${is}`));
  });
}
