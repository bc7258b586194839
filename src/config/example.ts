import { existsSync } from "node:fs";
import { join } from "node:path";

/** The name that stands for the built-in example where a file name would. */
export const exampleName = "built-in example";

/** The configuration used when there is no file: two accounts on this machine, linked with each other. */
export const exampleConfig = `# Two API accounts on this machine, linked with each other.
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

/** `rialto.toml`, then `matterbridge.toml`; null when neither is there. Absolute. */
export function findConfigFile(cwd: string): string | null {
  const paths = ["rialto.toml", "matterbridge.toml"].map((name) => join(cwd, name));
  return paths.find((path) => existsSync(path)) ?? null;
}
