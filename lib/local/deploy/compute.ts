import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { sdkEnvironment } from "../credentials.ts";
import { type Json, localAccount } from "../service.ts";
import { arnOf, type Create, type Declaration, refuse, type Site, trustedRole } from "./declaration.ts";
import { physicalName } from "./physical-name.ts";

/** An API function mostly waits for the store; four instances keep a front end busy that loads several things at once. */
const apiConcurrency = 4;

export const lambdaFunction: Create = (declaration, site) => {
  refuse(declaration, "Layers", "FileSystemConfigs", "ImageConfig");
  const { logicalId, properties } = declaration;
  const { parts, stackName, assets, apiFunctions } = site;
  const name = properties.FunctionName ?? physicalName(stackName, logicalId);
  const arn = arnOf("lambda", `function:${name}`);
  const codeFolder = assets.get(properties.Code.S3Key);
  if (!codeFolder || !String(properties.Runtime).startsWith("nodejs")) {
    throw new Error(`${logicalId} (${declaration.type}): only Node.js functions from an asset are supported.`);
  }
  const role = trustedRole(declaration, parts, properties.Role, "lambda.amazonaws.com", arn);
  const ours = apiFunctions.has(logicalId) ? apiConcurrency : availableParallelism();
  parts.lambda.addFunction({
    name,
    arn,
    codeFolder,
    handler: properties.Handler,
    memorySizeMiB: properties.MemorySize ?? 128,
    timeoutSeconds: properties.Timeout ?? 3,
    // Beside the code that it is about, so that it goes with it.
    codeCache: join(dirname(codeFolder), "code-cache"),
    concurrency: Math.min(ours, properties.ReservedConcurrentExecutions ?? ours),
    environment: environmentOf(declaration, site, { name, role, codeFolder }),
  });
  return { ref: name, attributes: { Arn: arn } };
};

/**
 * The whole environment of a function, as Lambda sets it.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
function environmentOf(
  { properties }: Declaration,
  { parts }: Site,
  { name, role, codeFolder }: { name: string; role: string; codeFolder: string },
): Record<string, string> {
  const temporary = join(parts.temporaryFolder, name);
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  const { account, region } = localAccount;
  const caller = parts.credentials.issue(role, `arn:aws:sts::${account}:assumed-role/${role}/${name}`);
  const variables = Object.entries<Json>(properties.Environment?.Variables ?? {});
  return {
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: `AWS_Lambda_${properties.Runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize ?? 128),
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: properties.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: "local",
    AWS_REGION: region,
    // Without these the SDK would look for a profile of whoever runs this machine.
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    LAMBDA_TASK_ROOT: codeFolder,
    LANG: "en_US.UTF-8",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    TMPDIR: temporary,
    TZ: ":UTC",
    _HANDLER: properties.Handler,
    ...Object.fromEntries(variables.map(([variable, value]) => [variable, String(value)])),
    ...sdkEnvironment(caller, parts.endpoint),
  };
}

/** A permission is a statement of the function's own policy. */
export const permission: Create = (declaration, { parts }) => {
  refuse(declaration, "EventSourceToken", "FunctionUrlAuthType", "PrincipalOrgID");
  const { logicalId, properties } = declaration;
  const { FunctionName, Principal, SourceArn, SourceAccount } = properties;
  const arn = FunctionName.startsWith("arn:") ? FunctionName : arnOf("lambda", `function:${FunctionName}`);
  const isService = /\.amazonaws\.com$/.test(Principal);
  parts.iam.attachResourcePolicy(arn, {
    Statement: {
      Effect: "Allow",
      Action: properties.Action,
      Resource: arn,
      Principal: isService ? { Service: Principal } : { AWS: Principal },
      Condition: {
        ...(SourceArn && { ArnLike: { "AWS:SourceArn": SourceArn } }),
        ...(SourceAccount && { StringEquals: { "AWS:SourceAccount": SourceAccount } }),
      },
    },
  });
  return { ref: logicalId };
};

export const stateMachine: Create = async (declaration, { parts, stackName }) => {
  refuse(declaration, "DefinitionS3Location");
  const { logicalId, properties } = declaration;
  const name = properties.StateMachineName ?? physicalName(stackName, logicalId, 80);
  const arn = arnOf("states", `stateMachine:${name}`);
  trustedRole(declaration, parts, properties.RoleArn, "states.amazonaws.com", arn);
  await parts.states.ensureStateMachine({
    name,
    definition: definitionOf(properties),
    roleArn: properties.RoleArn,
    type: properties.StateMachineType ?? "STANDARD",
  });
  return { ref: arn, attributes: { Arn: arn, Name: name } };
};

function definitionOf({ Definition, DefinitionString, DefinitionSubstitutions = {} }: Json): object {
  const text: string = DefinitionString ?? JSON.stringify(Definition);
  return JSON.parse(text.replace(/\$\{(\w+)\}/g, (found, name) => DefinitionSubstitutions[name] ?? found));
}

export const rule: Create = (declaration, { parts, stackName, rulesByTarget }) => {
  refuse(declaration, "EventBusName");
  const { logicalId, properties } = declaration;
  const name = properties.Name ?? physicalName(stackName, logicalId);
  const arn = arnOf("events", `rule/${name}`);
  const targets = (properties.Targets ?? []).map((target: Json) => {
    refuse({ ...declaration, properties: target }, "InputTransformer", "InputPath");
    rulesByTarget.set(target.Arn, [...(rulesByTarget.get(target.Arn) ?? []), arn]);
    if (target.RoleArn) trustedRole(declaration, parts, target.RoleArn, "events.amazonaws.com", arn);
    return { arn: target.Arn, input: target.Input && JSON.parse(target.Input), roleArn: target.RoleArn };
  });
  if (properties.State !== "DISABLED") {
    const { ScheduleExpression: scheduleExpression, EventPattern: eventPattern } = properties;
    parts.schedule.ensureRule({ name, scheduleExpression, eventPattern, targets });
  }
  return { ref: name, attributes: { Arn: arn } };
};
