import type { EnvironmentVariables } from "../../functions/platform/environment.ts";
import type { Cloud } from "../../lib/local/cloud.ts";
import { sdkEnvironment } from "../../lib/local/credentials.ts";
import { localAccount } from "../../lib/local/service.ts";

/**
 * Lets handlers run inside the test process, with a clock of the test's own, on the records of a running cloud. Handlers read their
 * environment once, so one test file uses one cloud this way.
 */
export function useAsEnvironment(cloud: Cloud): void {
  const ref = (prefix: string, type: string): string => {
    const found = [...cloud.resources].find(([id, resource]) => id.startsWith(prefix) && resource.type === type);
    if (!found) throw new Error(`the stack has no ${type} that begins with ${prefix}`);
    return found[1].ref;
  };
  const variables: EnvironmentVariables = {
    STAGE: "local",
    TABLE_NAME: ref("DataTable", "AWS::DynamoDB::GlobalTable"),
    SOURCES_BUCKET: ref("DataSources", "AWS::S3::Bucket"),
    RESULTS_BUCKET: ref("DataResults", "AWS::S3::Bucket"),
    SIGNING_KEY_ALIAS: "alias/sluice-local-tokens",
    SECRETS_KEY_ALIAS: "alias/sluice-local-secrets",
    OUTBOUND_ALLOWED_HOSTS: "",
    CORS_ORIGINS: "",
    SCAN_MACHINE_ARN: ref("ScanMachine", "AWS::StepFunctions::StateMachine"),
    ERASURE_MACHINE_ARN: ref("ErasureMachine", "AWS::StepFunctions::StateMachine"),
    AUDIT_DAYS: "400",
    TOKEN_MINUTES: "480",
    REGISTRATION: "on",
  };
  Object.assign(process.env, variables, sdkEnvironment(cloud.operator, cloud.endpoint), {
    AWS_REGION: localAccount.region,
  });
}
