import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Instruction } from "./instructions.ts";

/** What a command of a container is run with. */
interface Settings {
  readonly env: Record<string, string>;
  user: string;
  folder: string;
}

/** The image that one stage makes: an overlay file system over those of the stages below it and over this machine's. */
export class Layers {
  readonly #settings: Settings;
  readonly root: string;

  /** Mounts it. `home` is an empty folder. */
  constructor(home: string, below: Layers | null) {
    this.root = join(home, "root");
    const [upper, work] = [join(home, "upper"), join(home, "work")];
    for (const folder of [upper, work, this.root]) mkdirSync(folder, { recursive: true });
    execFileSync("mount", [
      "-t",
      "overlay",
      "-o",
      `lowerdir=${below?.root ?? "/"},upperdir=${upper},workdir=${work}`,
      "overlay",
      this.root,
    ]);
    for (const part of ["proc", "dev"]) execFileSync("mount", ["--bind", `/${part}`, join(this.root, part)]);
    this.#settings =
      below === null
        ? {
            env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" },
            user: "0:0",
            folder: "/",
          }
        : { ...below.#settings, env: { ...below.#settings.env } };
  }

  /** After this, the folder that was given can be removed. */
  unmount(): void {
    for (const part of ["dev", "proc", "."]) execFileSync("umount", [join(this.root, part)]);
  }

  /** Puts a file of this machine into the image. */
  put(file: string, path: string): void {
    mkdirSync(join(this.root, path, ".."), { recursive: true });
    copyFileSync(file, join(this.root, path));
  }

  /** Does what an instruction says. `context` copies files of the build context, `stages` are the images so far. */
  do(
    { name, rest }: Instruction,
    context: (paths: readonly string[], to: string) => void,
    stages: ReadonlyMap<string, Layers>,
  ): void {
    const settings = this.#settings;
    switch (name) {
      case "ENV":
        for (const [, key = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/gu)) settings.env[key] = value;
        return;
      case "USER":
        settings.user = rest;
        return;
      case "WORKDIR":
        settings.folder = rest;
        mkdirSync(join(this.root, rest), { recursive: true });
        return;
      case "RUN":
        this.run(["sh", "-c", rest]);
        return;
      case "COPY":
        this.#copy(rest.split(/\s+/u), context, stages);
        return;
      case "VOLUME":
      case "HEALTHCHECK":
      case "ENTRYPOINT":
      case "CMD":
        return;
      default:
        throw new Error(`tools/dockerfile does not know the instruction ${name}`);
    }
  }

  /** A folder is copied by its contents, a file to its own name where the target ends in a slash. */
  #copy(
    words: readonly string[],
    context: (paths: readonly string[], to: string) => void,
    stages: ReadonlyMap<string, Layers>,
  ): void {
    const from = words[0]?.startsWith("--from=") === true ? words[0].slice("--from=".length) : null;
    const paths = words.slice(from === null ? 0 : 1, -1);
    const to = join(this.root, resolve(this.#settings.folder, words.at(-1) ?? ""));
    mkdirSync(to, { recursive: true });
    if (from === null) {
      context(paths, to);
      return;
    }
    const stage = stages.get(from);
    if (stage === undefined) throw new Error(`COPY --from=${from}: there is no such stage before it`);
    for (const path of paths) {
      const source = join(stage.root, path);
      const folder = statSync(source).isDirectory();
      cpSync(source, folder ? to : join(to, path.slice(path.lastIndexOf("/") + 1)), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }

  #arguments(command: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
    const { user, folder } = this.#settings;
    const variables = Object.entries({ ...this.#settings.env, ...env }).map(([key, value]) => `${key}=${value}`);
    return [`--userspec=${user}`, this.root, "env", "-i", "-C", folder, ...variables, ...command];
  }

  /** Runs a command to its end; throws if it fails. Gives what it printed where `print` is off. */
  run(command: readonly string[], print = true): string {
    const stdio = ["ignore", print ? "inherit" : "pipe", "inherit"] as const;
    return execFileSync("chroot", this.#arguments(command, {}), { stdio: [...stdio], encoding: "utf8" }) ?? "";
  }

  /** Starts a command. */
  start(command: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    return spawn("chroot", this.#arguments(command, env), { stdio: ["ignore", "pipe", "inherit"] });
  }
}
