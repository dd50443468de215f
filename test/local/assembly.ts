import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

export interface AssemblyProps {
  readonly template: object;
  /** Source of each handler file by its name; SDK clients may be imported. */
  readonly handlers?: Readonly<Record<string, string>>;
}

/** The key under which templates name the one asset of a test's assembly. */
export const assetKey = "functions.zip";

/** Writes what `cdk synth` would: a template, the list of assets, and the bundled handlers as one asset. */
export async function writeAssembly({ template, handlers = {} }: AssemblyProps): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-assembly-"));
  const sources = join(folder, "sources");
  mkdirSync(sources);
  for (const [name, source] of Object.entries(handlers)) writeFileSync(join(sources, `${name}.ts`), source);
  await build({
    entryPoints: Object.keys(handlers).map((name) => join(sources, `${name}.ts`)),
    outdir: join(folder, "asset.functions"),
    outExtension: { ".js": ".mjs" },
    nodePaths: [resolve(import.meta.dirname, "../../node_modules")],
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node24",
    mainFields: ["module", "main"],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  writeFileSync(join(folder, "Test.template.json"), JSON.stringify(template));
  const source = { path: "asset.functions", packaging: "zip" };
  const files = { functions: { source, destinations: { here: { bucketName: "assets", objectKey: assetKey } } } };
  writeFileSync(join(folder, "Test.assets.json"), JSON.stringify({ files }));
  return folder;
}

export const lambdaRole = (...statements: object[]) => role("lambda.amazonaws.com", ...statements);

export const role = (service: string, ...statements: object[]) => ({
  Type: "AWS::IAM::Role",
  Properties: {
    AssumeRolePolicyDocument: {
      Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: service } }],
    },
    Policies: statements.length === 0 ? [] : [{ PolicyName: "grants", PolicyDocument: { Statement: statements } }],
  },
});

export const fn = (handler: string, roleId: string, more: object = {}) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Code: { S3Bucket: "assets", S3Key: assetKey },
    Handler: `${handler}.handler`,
    Role: att(roleId),
    Runtime: "nodejs24.x",
    MemorySize: 256,
    Timeout: 20,
    ...more,
  },
});

export const att = (logicalId: string, name = "Arn") => ({ "Fn::GetAtt": [logicalId, name] });
export const ref = (logicalId: string) => ({ Ref: logicalId });
