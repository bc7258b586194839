import { existsSync } from "node:fs";
import { join } from "node:path";

/** The name that stands for the built-in example where a file name would. */
export const exampleName = "built-in example";

/** The addresses of the example; the next free ones where somebody has these. */
export const exampleAddresses = ["127.0.0.1:4242", "127.0.0.1:4243", "127.0.0.1:4290"] as const;

const [, , dashboardAddress] = exampleAddresses;

/** The first part of the example, which a new configuration begins with, too. */
const dashboardConfig = `# The dashboard, for this machine only: "rialto dashboard" prints a link to it.
[general]
AdminBindAddress = "${dashboardAddress}"
`;

/** The other part of the example: what it links. */
export const exampleLinks = `
# Two API accounts on this machine, linked with each other.
[api.left]
BindAddress = "127.0.0.1:4242"

[api.right]
BindAddress = "127.0.0.1:4243"

[[gateway]]
name = "example"
enable = true

[[gateway.inout]]
account = "api.left"
channel = "api"

[[gateway.inout]]
account = "api.right"
channel = "api"
`;

/**
 * What `rialto example` runs, as does a start on a terminal where there is no file: two accounts on this machine,
 * linked with each other.
 */
export const exampleConfig = dashboardConfig + exampleLinks;

/** The example with the address at which its dashboard listens. */
export const exampleAt = (address: string): string => exampleConfig.replace(dashboardAddress, address);

/** For who starts Rialto where nobody sits: what to do about a configuration that is missing. */
export const noConfigFile = `There is no configuration here. Write one, such as

[irc.libera]
Server = "irc.libera.chat:6697"
UseTLS = true
Nick = "my-bridge"

[api.local]
BindAddress = "127.0.0.1:4242"

[[gateway]]
name = "lobby"
enable = true
inout = [
  { account = "irc.libera", channel = "#my-channel" },
  { account = "api.local", channel = "api" },
]

into rialto.toml in the folder where Rialto is started, or into
/etc/rialto/rialto.toml, or name the file with -conf FILE.
/etc/matterbridge/matterbridge.toml is read, too. "rialto check" says whether it
is right, and "rialto example" runs a built-in one.
`;

const ENDINGS = ["toml", "yaml", "yml", "json"] as const;
const filesIn = (folder: string, name: string): readonly string[] =>
  ENDINGS.map((ending) => join(folder, `${name}.${ending}`));

/** For people. */
export const configFileNames = "rialto.toml (or .yaml, .json) or matterbridge.toml";

/**
 * The configuration file in this folder: `rialto.toml`, its forms in YAML and JSON, then the same of `matterbridge`.
 * If there is none, that of the machine: in `/etc/rialto`, then in `/etc/matterbridge`. Absolute; null: there is none.
 */
export function findConfigFile(cwd: string, machine = "/etc"): string | null {
  const there = [
    ...filesIn(join(machine, "rialto"), "rialto"),
    ...filesIn(join(machine, "matterbridge"), "matterbridge"),
  ];
  return configFileIn(cwd) ?? there.find((path) => existsSync(path)) ?? null;
}

/** The same without that of the machine. */
export function configFileIn(folder: string): string | null {
  const there = [...filesIn(folder, "rialto"), ...filesIn(folder, "matterbridge")];
  return there.find((path) => existsSync(path)) ?? null;
}
