import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { operationList } from "../../functions/operations.ts";
import { openApiDocument } from "../../functions/platform/openapi.ts";
import { workflowTaskList } from "../../functions/workflow-tasks.ts";
import { writeEngineAssets } from "./engine-assets.ts";
import { nodeBuiltins } from "./node-builtins.ts";
import { writeReportFonts } from "./report-fonts.ts";
import { zodOfModels } from "./zod-of-models.ts";

const root = resolve(import.meta.dirname, "../..");

/** Some bundled CommonJS packages call require or look at __dirname at run time; ESM has none of its own. */
const banner =
  "import{createRequire}from'node:module';const require=createRequire(import.meta.url),__dirname=import.meta.dirname;";

/**
 * Bundles every function of the product into one folder: `<name>/index.mjs` for each operation and workflow task, the chunks they share,
 * and the files they read. All of them are one Lambda asset, which keeps the template small and lets functions share code.
 */
export async function bundleFunctions(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "engine"), { recursive: true });
  await Promise.all([
    bundleCode(folder),
    writeEngineAssets(join(folder, "engine")),
    writeReportFonts(join(folder, "fonts")),
    writeFile(join(folder, "openapi.json"), JSON.stringify(openApiDocument(operationList))),
    copyFile(join(root, "node_modules/rapidoc/dist/rapidoc-min.js"), join(folder, "viewer.js")),
  ]);
}

/** Writes the code alone, without the files that it reads. @returns what esbuild says about the files it wrote */
export async function bundleCode(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries([...entries.keys()].map((name) => [`${name}/index`, `entry:${name}`])),
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    // Error names are part of what Step Functions sees.
    keepNames: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    // Native parts that ssh2 tries for and does without.
    external: ["cpu-features", "*.node"],
    outExtension: { ".js": ".mjs" },
    banner: { js: banner },
    plugins: [entryPlugin, zodOfModels, nodeBuiltins],
    metafile: true,
    logLevel: "warning",
    legalComments: "none",
  });
  return metafile;
}

/** The source of each Lambda entry: an operation stays one file, its entry is made here. */
const entries: ReadonlyMap<string, string> = new Map([
  ...operationList.map(
    ({ name, area, file }) => [file, entry(name, `${area}/${file}.ts`, "lambdaHandler", "operation.ts")] as const,
  ),
  ...workflowTaskList.map(
    ({ name, area, file }) =>
      [file, entry(name, `${area}/workflow/${file}.ts`, "taskHandler", "workflow-task.ts")] as const,
  ),
]);

function entry(name: string, path: string, wrap: string, from: string): string {
  return [
    `import { ${wrap} } from "./functions/platform/${from}";`,
    `import { ${name} } from "./functions/${path}";`,
    `export const handler = ${wrap}(${JSON.stringify(name)}, ${name});`,
  ].join("\n");
}

const entryPlugin: Plugin = {
  name: "lambda-entries",
  setup(build) {
    build.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice("entry:".length), namespace: "entry" }));
    build.onLoad({ filter: /.*/, namespace: "entry" }, ({ path }) => ({
      contents: entries.get(path),
      loader: "ts",
      resolveDir: root,
    }));
  },
};
