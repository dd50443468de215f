import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { bundleFunctions } from "../lib/bundle/bundle.ts";
import { SluiceStack } from "../lib/sluice-stack.ts";

/** The CDK app: one stack per stage (`-c stage=prod`). Synthesises offline; account and region come from the CLI when there is one. */
const builds = join(import.meta.dirname, "../.build");
mkdirSync(builds, { recursive: true });
// A folder of its own, so that two syntheses do not disturb each other; the assembly gets a copy.
const bundle = mkdtempSync(join(builds, "functions-"));
try {
  await bundleFunctions(bundle);
  const app = new App();
  const stage: string = app.node.tryGetContext("stage") ?? "dev";
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(stage)) {
    throw new Error(`stage "${stage}": use up to 20 lower-case letters, digits and dashes, beginning with a letter`);
  }
  new SluiceStack(app, `Sluice-${stage}`, {
    stage,
    bundle,
    env: {
      account: process.env.CDK_DEFAULT_ACCOUNT ?? "000000000000",
      region: process.env.CDK_DEFAULT_REGION ?? "us-east-1",
    },
  });
  app.synth();
} finally {
  rmSync(bundle, { recursive: true, force: true });
}
