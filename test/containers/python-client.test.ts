import { execFile, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { serve } from "./served.ts";

/** grpcio is the client that most actors use; it is not ours to install. */
const python = process.env.PYTHON ?? "python3";
const hasGrpcio = spawnSync(python, ["-c", "import grpc"]).status === 0;
if (!hasGrpcio) console.warn(`skipped: ${python} has no grpcio (Debian: python3-grpcio; PYTHON names another one)`);

it.skipIf(!hasGrpcio)("a Python client with grpcio sends, reads, compresses and understands refusals", async () => {
  const { port, runs } = await serve({ GRPC_MESSAGE_MIB: "4" });
  const script = resolve(import.meta.dirname, "plain_client.py");
  const { stdout } = await promisify(execFile)(python, [script, String(port)]);
  expect(JSON.parse(stdout)).toEqual({
    offset: "0",
    compressed: "OK",
    first_offset: "0",
    item: Buffer.concat([Buffer.from([0x0a, 13, 0x0a, 11]), Buffer.from("from Python")]).toString("hex"),
    bytes: [15, 14_006, 3_000_010, 3_000_010, 3_000_010, 3_000_010, 3_000_010],
    malformed: ["INVALID_ARGUMENT", null],
    oversize: ["RESOURCE_EXHAUSTED", "-1"],
    after: ["OK", null],
  });
  expect(runs.texts()[1]).toBe("much the same ".repeat(1000));
});
