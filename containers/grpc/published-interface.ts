import { fileURLToPath } from "node:url";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";

const proto = (name: string) => fileURLToPath(new URL(`../../proto/${name}.proto`, import.meta.url));

/** The interfaces as their files describe them: for reflection, and for the messages of our own package. Numbers are exact up to 2^53. */
export const publishedInterface: PackageDefinition = loadSync([proto("hil_serl"), proto("hil_serl_ext")], {
  keepCase: true,
  defaults: true,
  longs: Number,
  enums: String,
});
