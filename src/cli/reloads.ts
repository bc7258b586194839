import type { App } from "../app/app.ts";
import type { Logger } from "../logger.ts";
import type { Systemd } from "./systemd.ts";
import { type FileWatch, watchFile } from "./watch-file.ts";

/** Requests to read the configuration again, from the start of the program. */
export interface ReloadRequests {
  /** Calls back at each request, and at once if there was one before. */
  follow(task: () => void): void;
  /** The file has this content now (SHA-256, base64), so it is not read again. A new file is watched from now on. */
  expect(digest: string, file: string): void;
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
  const begin = (file: string): FileWatch => {
    const failed = (why: string): void =>
      logger.warn({ path: file, why }, "the configuration file is not watched: send SIGHUP to reload it");
    return watchFile(file, { changed: () => task(), failed });
  };
  let watch = path === null ? null : begin(path);
  return {
    expect: (digest, file) => {
      watch ??= begin(file);
      watch.expect(digest);
    },
    follow: (given) => {
      task = given;
      if (early) given();
    },
  };
}

/** Reloads the configuration each time somebody asks for it. */
export function followReloads(
  app: Pick<App, "reload">,
  { asked, systemd, logger }: { readonly asked: ReloadRequests; readonly systemd: Systemd; readonly logger: Logger },
): void {
  asked.follow(() => {
    const reloading = app.reload();
    if (reloading === null) {
      logger.info("there is no configuration file to reload");
      return;
    }
    systemd.reloading();
    void reloading.then(({ is }) => systemd.ready(`the configuration: ${is}`));
  });
}
