#!/usr/bin/env node
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- plain JavaScript, outside the type-checked files */
// Old Nodes must be able to parse this, to be told that they are old: no import statement, no export, no new syntax.
"use strict";

// Keep in step with "engines" in package.json.
var needed = [22, 18];
var found = process.versions.node.split(".").map(Number);

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    `rialto: this is Node ${process.versions.node}, but Node ${needed.join(".")} or newer is needed. ` +
      "Get it from https://nodejs.org/, or run `npm ci && npm start` in a checkout, which brings its own.\n",
  );
  process.exitCode = 1;
} else {
  keepCompiled();
  import("../dist/main.js").catch(function (error) {
    if (!/^Cannot find module '[^']*dist[\\/]main\.js'/.test(String(error && error.message))) throw error;
    process.stderr.write("rialto: the program is not built yet: run `npm run build` in the checkout first.\n");
    process.exitCode = 1;
  });
}

// Compiled code is kept between starts, which saves about 100 ms of each. In the program's own folder: whoever can write there can
// change the program anyway, which is not true of a shared temporary folder. Where it cannot be written, nothing is kept.
function keepCompiled() {
  var bin = process.getBuiltinModule("node:fs").realpathSync(process.argv[1]);
  var folder = process.getBuiltinModule("node:path").join(bin, "../../node_modules/.cache/compiled");
  process.getBuiltinModule("node:module").enableCompileCache(folder);
}
