import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");

/** What `rialto check --online FILE` prints last, and its exit code. */
export async function checked(
  file: string,
  dataPath: string,
): Promise<{ readonly code: number; readonly lines: string }> {
  const env = { PATH: process.env["PATH"] ?? "", RIALTO_GENERAL_DATAPATH: dataPath };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "check", "--online", file], { env });
    return { code: 0, lines: stdout };
  } catch (error) {
    if (!(error instanceof Error) || !("stdout" in error) || !("code" in error)) throw error;
    return { code: Number(error.code), lines: String(error.stdout) };
  }
}
