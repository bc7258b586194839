import type { App } from "../app/app.ts";
import type { Logger } from "../logger.ts";
import type { Systemd } from "./systemd.ts";
import { watchFile } from "./watch-file.ts";

/** Who asks for the configuration to be read again, from the beginning of the program on. */
export interface Asked {
  /** Calls back each time, and at once when it was asked for before. */
  follow(task: () => void): void;
}

/** SIGHUP, which would end the program without a listener, and another content of the file. `path`: null when there is none. For good. */
export function listenForReloads(path: string | null, logger: Logger): Asked {
  let early = false;
  let task = (): void => {
    early = true;
  };
  process.on("SIGHUP", () => task());
  const failed = (why: string): void =>
    logger.warn({ path, why }, "the configuration file is not watched: send SIGHUP to reload it");
  if (path !== null) watchFile(path, { changed: () => task(), failed });
  return {
    follow: (given) => {
      task = given;
      if (early) given();
    },
  };
}

/** Goes on with what the configuration says whenever it is asked for. */
export function followReloads(
  { reload }: Pick<App, "reload">,
  { asked, systemd, logger }: { readonly asked: Asked; readonly systemd: Systemd; readonly logger: Logger },
): void {
  asked.follow(() => {
    if (reload === null) {
      logger.info("there is no configuration file to be read again");
      return;
    }
    systemd.reloading();
    void reload().then(({ is }) => systemd.ready(`the configuration: ${is}`));
  });
}
