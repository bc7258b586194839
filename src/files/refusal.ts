import type { Reason, ReasonCode } from "../contract/outcome.ts";

/** Why a file is not available; `retry`: it may be available later. */
export interface FileRefusal {
  readonly ok: false;
  readonly why: Reason;
  readonly retry: boolean;
}

export function refused(code: ReasonCode, message: string): FileRefusal {
  return { ok: false, why: { code, message }, retry: false };
}

export function notNow(code: ReasonCode, message: string): FileRefusal {
  return { ok: false, why: { code, message }, retry: true };
}

export function tooLarge(limit: number): FileRefusal {
  return refused("too_large", `it is larger than MediaDownloadSize (${limit} bytes)`);
}

export const GONE: FileRefusal = refused("not_found", "the media store no longer has it");

export const STOPPED: FileRefusal = notNow("stopping", "fetching it was cancelled");

/** The code of an error of the system, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
