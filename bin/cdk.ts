import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

/** The CDK command line without telemetry or notices, so that it works with no network: `npm run synth`, `npm run deploy -- -c stage=prod`. */
const root = resolve(import.meta.dirname, "..");
const cdk = spawnSync(
  process.execPath,
  [join(root, "node_modules/aws-cdk/bin/cdk"), "--no-notices", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: "true" },
  },
);
process.exit(cdk.status ?? 1);
