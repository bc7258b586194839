import { readFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { scratchFolder } from "./scratch.suite.ts";

/** A data folder with a log of format 3, closed in order. */
export function logOfFormat3(): string {
  const dataPath = scratchFolder();
  const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
  db.exec(readFileSync(new URL("format-3.sql", import.meta.url), "utf8"));
  db.close();
  return dataPath;
}
