import { ATTACKED, type Case, over, type Scene } from "./case.ts";

const FILE = Buffer.alloc(1_000_000, "x");
const UPLOADS = 40;

async function upload({ ask }: Scene, token: string, name: string): Promise<string | null> {
  // No two files have the same content.
  const body = Buffer.concat([Buffer.from(`${name}\n`), FILE]);
  const headers = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": `attachment; filename="${name}"`,
  };
  const answer = await ask("/v1/files", { method: "POST", token, body, headers });
  if (answer.status !== 201) return null;
  return (JSON.parse(answer.body.toString()) as { readonly id: string }).id;
}

/** Two tokens: one has uploaded a file and posted it, the other fills all space there is. */
async function prepare(scene: Scene): Promise<readonly string[]> {
  const [owner, other] = [await scene.token("read,write"), await scene.token("read,write")];
  const id = (await upload(scene, owner, "owner.bin")) ?? "";
  const body = { text: "a file", files: [id] };
  await scene.ask(`/v1/gateways/${ATTACKED.gateway}/messages`, { method: "POST", token: owner, body });
  return [owner, other, id];
}

/** Uploads of one token, until there is no space left. */
export const uploadCases: readonly Case[] = [
  {
    name: "uploads",
    general: "MediaBytes = 10000000",
    prepare,
    attack: async (scene, [owner = "", other = "", id = ""]) => {
      for (let index = 0; index < UPLOADS; index += 1) await upload(scene, other, `other-${index}.bin`);
      const { status } = await scene.ask(`/v1/files/${id}`, { token: owner });
      await over(scene);
      const value = status === 200 ? 1 : 0;
      return [{ what: "file of another token is still there", value, unit: "", goal: { op: ">=", value: 1 } }];
    },
  },
];
