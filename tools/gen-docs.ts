import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapters, protocols } from "../src/adapters/registry.ts";
import { ignoredGeneral, ignoredShared, ignoredTengo, missingProtocols } from "../src/config/reference.ts";
import { sharedSchema } from "../src/config/presentation.ts";
import { generalSchema } from "../src/config/schema.ts";
import { START_ERRORS } from "../src/errors.ts";
import { formatDuration } from "../src/lib/duration.ts";
import { besideTable } from "./docs-beside.ts";
import { adminTables, v1Tables } from "./docs-v1.ts";
import { formatsTable, goldenTable, unchangedList } from "./docs-formats.ts";
import { crossesTable, onceTable } from "./docs-networks.ts";
import type { IgnoredSetting, Manifest, SettingSchema, SettingsSchema } from "../src/contract/manifest.ts";

/**
 * Writes the pages of `docs/` that come from the code; with `--check` it only compares, and exits 1 when one differs.
 */
export const pages: readonly { readonly file: string; readonly make: () => string }[] = [
  { file: inDocs("settings.md"), make: settingsPage },
  { file: inDocs("errors.md"), make: errorsPage },
  { file: inDocs("delivery.md"), make: deliveryPage },
  { file: inDocs("formatting.md"), make: formattingPage },
  { file: inDocs("from-matterbridge.md"), make: besidePage },
  { file: inDocs("api-v1.md"), make: () => withTables("api-v1.md", v1Tables()) },
  { file: inDocs("api-admin.md"), make: () => withTables("api-admin.md", adminTables()) },
  ...Array.from(adapters.values(), (adapter) => {
    const { manifest } = adapter;
    const name = `${manifest.protocol}.md`;
    const make = () =>
      withTables(name, { settings: settingsOf(manifest), crosses: crossesTable([adapter]), ...printedBy(manifest) });
    return { file: inDocs(name), make };
  }),
];

function inDocs(name: string): string {
  return join(import.meta.dirname, "..", "docs", name);
}

function formattingPage(): string {
  const tables = { formats: formatsTable(), golden: goldenTable(), unchanged: unchangedList() };
  return withTables("formatting.md", tables);
}

/** What those commands print that need no settings, by their names. */
function printedBy({ protocol, schema, commands = [] }: Manifest): Readonly<Record<string, string>> {
  const settings: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(schema.properties).map(([name, setting]) => [name, setting.default]),
  );
  const account = { name: `${protocol}.name`, random: () => "" };
  return Object.fromEntries(
    commands.flatMap((command) =>
      "run" in command && command.evenBefore === true
        ? [[command.name, `\`\`\`json\n${command.run(settings, account).output}\`\`\``]]
        : [],
    ),
  );
}

function deliveryPage(): string {
  return withTables("delivery.md", { once: onceTable(adapters.values()), crosses: crossesTable(adapters.values()) });
}

function besidePage(): string {
  return withTables("from-matterbridge.md", { beside: besideTable(adapters.values()) });
}

/** A page of which only the tables are generated; the text around them is written by hand, and stays. */
function withTables(name: string, tables: Readonly<Record<string, string>>): string {
  let page = readFileSync(inDocs(name), "utf8");
  for (const [name, made] of Object.entries(tables)) page = splice(page, name, made);
  return page;
}

/** Puts `made` between `<!-- generated: name -->` and the end of that part. */
export function splice(page: string, name: string, made: string): string {
  const start = `<!-- generated: ${name} (tools/gen-docs.ts) -->`;
  const end = "<!-- end of generated -->";
  const from = page.indexOf(start) + start.length;
  const to = page.indexOf(end, from);
  if (!page.includes(start) || to === -1) throw new Error(`a page lacks "${start}" or "${end}" after it`);
  return `${page.slice(0, from)}\n\n${made}\n\n${page.slice(to)}`;
}

function errorsPage(): string {
  const rows = Object.entries(START_ERRORS).map(
    ([code, { exit, what, remedy }]) => `| ${exit} | \`${code}\` | ${what} | ${remedy} |`,
  );
  return [
    "<!-- Written by tools/gen-docs.ts from src/errors.ts. Change that, then run `npm run docs`. -->",
    "# Errors",
    "Why Rialto does not start, or ends. The exit code tells an init system the reason (the numbers are those of sysexits); the code is in the log line.",
    [
      "| exit | code | what it means | what to do |",
      "|---|---|---|---|",
      "| 0 | | Stopped as requested. | |",
      ...rows,
    ].join("\n"),
    "The errors of the HTTP API are on [its own page](api.md#errors).",
  ]
    .join("\n\n")
    .concat("\n");
}

function settingsPage(): string {
  return [
    "<!-- Written by tools/gen-docs.ts from the schemas. Change those, then run `npm run docs`. -->",
    "# Settings",
    intro,
    "## `[general]`",
    "Settings of the program itself. Any setting of an account may be here too: it then applies to every account that does not set it.",
    table(generalSchema),
    "## Every account",
    'These belong to `[<protocol>.<name>]` or, for all accounts at once, to `[general]`. "Here" means the rooms of the account that has the setting, "elsewhere" all others.',
    table(sharedSchema),
    ...[...protocols.values()].flatMap(protocolPart),
    "## Accepted and ignored",
    "Files written for matterbridge run unchanged. These settings are accepted but have no effect; Rialto warns about each that is set.",
    "### Of any account, and of `[general]`",
    ignoredTable(ignoredShared),
    "### Of `[general]`",
    ignoredTable(ignoredGeneral),
    "### Of `[tengo]`",
    ignoredTable(ignoredTengo),
    "## Protocols that are not supported yet",
    "Rialto warns about accounts of these and does not start them. Gateways run without them.",
    missingProtocols.map(({ protocol, title }) => `- ${title} (\`${protocol}\`)`).join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}

const intro = `Keys and tables may be in upper or lower case. Values are read generously: \`"true"\` and \`1\` are true, \`"2"\` is a number.
\`rialto check FILE\` shows what is wrong with a file, with line and column.

Every setting can also come from the environment: \`RIALTO_<PROTOCOL>_<NAME>_<SETTING>\` in upper case, with \`_\` for \`.\` and \`-\`, such as
\`RIALTO_API_LEFT_BUFFER=100\`, or \`RIALTO_GENERAL_RETENTIONDAYS=30\`. It overrides \`MATTERBRIDGE_…\`, which overrides the file. A secret can be
read from a file: \`RIALTO_API_LEFT_TOKEN_FILE=/run/secrets/token\`. Pairs of expressions can only be set in the file.

Write a duration with its units h, m, s and ms: \`90s\`, \`5m\`, \`1h30m\`.

If a setting cannot be read when Rialto starts, its default is used. Settings that protect are different: their account stays down. These are
required settings, secrets, addresses, logins, TLS, \`IgnoreNicks\`, \`IgnoreMessages\` and \`AllowMention\`; in \`[general]\` they keep every account
down that does not set them itself. \`rialto check\`, the log and \`rialto status\` name them, with the reason. See
[a mistake in the configuration](operating.md#what-happens-when).`;

function protocolPart(manifest: Manifest): string[] {
  const { protocol, title } = manifest;
  return [`## ${title} (\`${protocol}\`)`, `These belong to \`[${protocol}.<name>]\`.`, settingsOf(manifest)];
}

/** A protocol's own settings, options and ignored ones. */
function settingsOf({ schema, defaults = {}, options = {}, ignored = [] }: Manifest): string {
  const other = Object.entries(defaults).map(([name, value]) => `\`${name}\` is ${shown(value)}`);
  const note = other.length === 0 ? [] : [`Other defaults here: ${other.join(", ")}.`];
  const optionRows = Object.entries(options).map(
    ([name, { secret, description }]) => `| \`${name}\` | ${secret ? "yes" : ""} | ${description} |`,
  );
  const optionPart = [
    "The entry of a channel in a gateway may have `options`:",
    ["| option | secret | meaning |", "|---|---|---|", ...optionRows].join("\n"),
  ];
  return [
    table(schema),
    ...note,
    ...(optionRows.length === 0 ? [] : optionPart),
    ...(ignored.length === 0 ? [] : ["Accepted and ignored:", ignoredTable(ignored)]),
  ].join("\n\n");
}

function table({ properties }: SettingsSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const value = schema.default === undefined ? "must be set" : defaultOf(schema);
    return `| \`${name}\` | ${typeOf(schema)} | ${value} | ${schema.secret === true ? "yes" : ""} | ${meaningOf(schema)} |`;
  });
  return ["| setting | type | default | secret | meaning |", "|---|---|---|---|---|", ...rows].join("\n");
}

function meaningOf({ description = "", restart = false }: SettingSchema): string {
  return restart ? `${description} A change needs a restart.` : description;
}

function typeOf(schema: SettingSchema): string {
  if (schema.enum !== undefined)
    return schema.enum
      .filter((choice) => choice !== "")
      .map((choice) => `\`${choice}\``)
      .join(" or ");
  if (schema.type === "array") return holdsLists(schema) ? "list of pairs" : "list";
  if (schema.type === "integer") return rangeOf(schema);
  return schema.type === "boolean" ? "true or false" : "text";
}

function holdsLists({ items }: SettingSchema): boolean {
  return items !== undefined && "type" in items && items.type === "array";
}

function rangeOf({ minimum, maximum, format }: SettingSchema): string {
  const [what, show] = format === "duration" ? ["duration", formatDuration] : ["number", String];
  if (minimum === undefined) return what;
  return maximum === undefined ? `${what} from ${show(minimum)}` : `${what} from ${show(minimum)} to ${show(maximum)}`;
}

function defaultOf({ format, default: value }: SettingSchema): string {
  return shown(format === "duration" && typeof value === "number" ? formatDuration(value) : value);
}

function shown(value: unknown): string {
  if (value === "" || (Array.isArray(value) && value.length === 0)) return "empty";
  return `\`${typeof value === "string" ? JSON.stringify(value) : String(value)}\``;
}

const STATES: Readonly<Record<IgnoredSetting["state"], string>> = {
  later: "not yet",
  unneeded: "not needed",
  replaced: "replaced",
};

function ignoredTable(settings: readonly IgnoredSetting[]): string {
  const rows = settings.map(({ name, state, why }) => `| \`${name}\` | ${STATES[state]} | ${why} |`);
  return ["| setting | support | why |", "|---|---|---|", ...rows].join("\n");
}

if (import.meta.main) {
  for (const { file, make } of pages) {
    if (!process.argv.includes("--check")) {
      writeFileSync(file, make());
    } else if (readFileSync(file, "utf8") !== make()) {
      console.error(`${file} differs from the code; run: npm run docs`);
      process.exitCode = 1;
    }
  }
}
