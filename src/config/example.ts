import { existsSync } from "node:fs";
import { join } from "node:path";

/** The name that stands for the built-in example where a file name would. */
export const exampleName = "built-in example";

/** The addresses of the example; the next free ones where somebody has these. */
export const exampleAddresses = ["127.0.0.1:4242", "127.0.0.1:4243", "127.0.0.1:4290"] as const;

/**
 * What `rialto example` runs, as does a start on a terminal where there is no file: two accounts on this machine,
 * linked with each other.
 */
export const exampleConfig = `# The dashboard.
[general]
AdminBindAddress = "127.0.0.1:4290"

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
inout = [{ account = "irc.libera", channel = "#my-channel" }, { account = "api.local", channel = "api" }]

into rialto.toml in the folder where Rialto is started, or name the file with -conf FILE. "rialto check" says whether it is right,
and "rialto example" runs a built-in one.
`;

const names = ["rialto", "matterbridge"].flatMap((name) =>
  ["toml", "yaml", "yml", "json"].map((extension) => `${name}.${extension}`),
);

/** For people. */
export const configFileNames = "rialto.toml (or .yaml, .json) or matterbridge.toml";

/** `rialto.toml`, its forms in YAML and JSON, then the same of `matterbridge`; null when none is there. Absolute. */
export function findConfigFile(cwd: string): string | null {
  const paths = names.map((name) => join(cwd, name));
  return paths.find((path) => existsSync(path)) ?? null;
}
