#!/usr/bin/env node
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, no-unused-vars -- plain JavaScript of the oldest syntax, outside the type-checked files */
// Old versions of Node must be able to parse this file, so that it can name the version that is needed: no import statement, no export, no new syntax.
"use strict";

// Without a listener, SIGUSR1 opens Node's debugger on 127.0.0.1, where every user of the machine could run code in this process.
process.on("SIGUSR1", function () {});

// Keep in step with "engines" in package.json.
var needed = [22, 18];
var found = process.versions.node.split(".").map(Number);

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  fail(
    `this is Node ${process.versions.node}, but Node ${needed.join(".")} or newer is needed. ` +
      "Get it from https://nodejs.org/, or run `npm ci && npm start` in a checkout, which brings its own.",
  );
} else {
  start();
}

function fail(reason) {
  process.stderr.write(`rialto: ${reason}\n`);
  process.exitCode = 1;
}

function start() {
  var fs = process.getBuiltinModule("node:fs");
  var path = process.getBuiltinModule("node:path");
  var missing = missingFile(fs, path.join(fs.realpathSync(process.argv[1]), "../../dist"));
  if (missing !== null) {
    fail(
      `the program is not built, or not completely: ${missing} is missing. ` +
        "Run `npm run build` if this is a checkout; otherwise install Rialto again.",
    );
    return;
  }
  keepCompiled(fs, path);
  void import("../dist/main.js");
}

// The build writes files.json last. It lists the files that hold code.
function missingFile(fs, dist) {
  var names;
  try {
    names = JSON.parse(fs.readFileSync(`${dist}/files.json`, "utf8"));
  } catch (error) {
    return `${dist}/files.json`;
  }
  for (var name of names) {
    var file = fs.statSync(`${dist}/${name}`, { throwIfNoEntry: false });
    if (file === undefined || file.size === 0) return `${dist}/${name}`;
  }
  return null;
}

// Keeps compiled code between starts, which saves about 100 ms of each, in $XDG_CACHE_HOME (XDG Base Directory Specification).
// Node runs the code in this folder, so only this user may be able to write there. If there is no such folder, nothing is kept.
function keepCompiled(fs, path) {
  try {
    var home = process.env.XDG_CACHE_HOME;
    if (!home || !path.isAbsolute(home)) home = path.join(process.getBuiltinModule("node:os").homedir(), ".cache");
    var folder = path.join(home, "rialto/compiled");
    // Level by level: with `recursive`, mkdir below /proc never returns.
    for (var level of [home, path.dirname(folder), folder]) {
      if (!fs.existsSync(level)) fs.mkdirSync(level, 0o700);
    }
    var stat = fs.statSync(folder);
    // Windows has no user ids.
    if (process.geteuid && (stat.uid !== process.geteuid() || (stat.mode & 0o022) !== 0)) return;
    process.getBuiltinModule("node:module").enableCompileCache(folder);
  } catch (error) {
    // The folder cannot be created.
  }
}
