import { fileURLToPath } from "node:url";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";

const proto = fileURLToPath(new URL("../../proto/hil_serl.proto", import.meta.url));

/** The interface as its file describes it, for reflection. */
export const publishedInterface = (): PackageDefinition => loadSync(proto, { keepCase: true });
