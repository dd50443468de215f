import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { writeEngineAssets } from "../../lib/bundle/engine-assets.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("runs from a bundle far from node_modules, as in Lambda", async () => {
  await writeEngineAssets(join(folder, "engine"));
  const root = join(import.meta.dirname, "../..");
  const entry = join(folder, "entry.ts");
  writeFileSync(
    entry,
    `import { auditEngine } from ${JSON.stringify(join(root, "functions/platform/audit-engine.ts"))};
    const engine = await auditEngine();
    const bytes = new TextEncoder().encode("import os\\nfrom flask import request\\ndef f():\\n    os.system(request.args['a'])\\n");
    const artefact = await engine.analyse({ path: "a.py", bytes });
    console.log(JSON.stringify({ same: engine === (await auditEngine()), findings: engine.link([artefact]).map((f) => [f.ruleId, f.startLine]) }));`,
  );
  await build({
    entryPoints: [entry],
    outfile: join(folder, "index.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    nodePaths: [join(root, "node_modules")],
    mainFields: ["module", "main"],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: "silent",
  });
  const output = execFileSync(process.execPath, [join(folder, "index.mjs")], {
    cwd: folder,
    env: { LAMBDA_TASK_ROOT: folder },
    encoding: "utf8",
  });
  expect(JSON.parse(output)).toEqual({ same: true, findings: [["command-injection.tainted-command", 4]] });
});
