import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { pathOf } from "./installed.ts";

/** Paths of PEM files. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes a self-signed certificate for localhost and 127.0.0.1, valid for two days, in this folder. */
export async function makeCertificate(folder: string, name: string): Promise<Certificate> {
  const certificate = path.join(folder, `${name}.crt`);
  const key = path.join(folder, `${name}.key`);
  const ask = ["req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2"];
  const about = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  await promisify(execFile)(pathOf("openssl"), [...ask, ...about, "-out", certificate, "-keyout", key]);
  return { certificate, key };
}
