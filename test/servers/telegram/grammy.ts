import { createRequire } from "node:module";
import type { ApiMethods, ResponseParameters, Update } from "@grammyjs/types";
import { pathOf } from "../installed.ts";

/** What of the library the tests use, which is unchanged; its types of the API are the published ones. */
export interface Grammy {
  readonly Bot: new (token: string, config: object) => Bot;
  readonly InputFile: new (content: Uint8Array, name: string) => InputFile;
  readonly GrammyError: new (...args: never[]) => GrammyError;
  readonly HttpError: new (...args: never[]) => Error;
}

interface InputFile {
  readonly filename?: string;
}

interface GrammyError extends Error {
  readonly method: string;
  readonly error_code: number;
  readonly description: string;
  readonly parameters: ResponseParameters;
}

type Raw = {
  readonly [M in keyof ApiMethods<InputFile>]: (
    args: Parameters<ApiMethods<InputFile>[M]>[0],
  ) => Promise<ReturnType<ApiMethods<InputFile>[M]>>;
};

export interface Bot {
  readonly api: { readonly raw: Raw };
  readonly botInfo: { readonly id: number; readonly username: string };
  /** Before all that is more exact. */
  use(what: (context: { readonly update: Update }) => void): void;
  catch(what: (error: unknown) => void): void;
  init(): Promise<void>;
  start(how: object): Promise<void>;
  stop(): Promise<void>;
}

export const grammy = (): Grammy => createRequire(import.meta.url)(pathOf("grammy")) as Grammy;
