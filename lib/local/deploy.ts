import { lambdaFunction, permission, rule, stateMachine } from "./deploy/compute.ts";
import { alias, bucket, bucketPolicy, key, table } from "./deploy/data.ts";
import { arnOf, type Create, type Parts, type Site } from "./deploy/declaration.ts";
import { policy, role } from "./deploy/identity.ts";
import { type Deployed, inDependencyOrder, Resolver, references } from "./deploy/intrinsics.ts";
import { physicalName } from "./deploy/physical-name.ts";
import { type RestApi, RestApiDeployment } from "./deploy/rest-api.ts";
import { taskDefinition } from "./deploy/task-definition.ts";
import { readAssembly, type Template } from "./deploy/template.ts";

export type { Deployed } from "./deploy/intrinsics.ts";

export interface DeployProps {
  /** Folder that `cdk synth` wrote, with the template of one stack. */
  readonly assembly: string;
  readonly parts: Parts;
  /** Values of the template's parameters. @default their defaults */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface Deployment {
  /** By logical id. */
  readonly resources: ReadonlyMap<string, Deployed>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly api: RestApi | undefined;
  readonly rulesByTarget: ReadonlyMap<string, readonly string[]>;
}

/**
 * Creates what a synthesised template declares in the parts of the embedded cloud, each resource after those it refers to.
 * Names follow from logical ids, so every start finds the data of the one before; nothing is ever deleted.
 * @throws Error with the logical id for a resource, property or function that the embedded cloud does not know
 */
export async function deploy({ assembly, parts, parameters = {} }: DeployProps): Promise<Deployment> {
  const { stackName, template, assets } = readAssembly(assembly);
  const resolver = new Resolver({ template, stackName, parameters });
  const rulesByTarget = new Map<string, string[]>();
  const site: Site = { parts, stackName, assets, apiFunctions: apiFunctionsOf(template), rulesByTarget };
  const api = new RestApiDeployment();
  const creators = creatorsWith(api);
  for (const [logicalId, { Type: type, Properties = {}, Condition }] of inDependencyOrder(template.Resources)) {
    if (!resolver.holds(Condition)) continue;
    const create = creators.get(type);
    if (!create) throw new Error(`${logicalId}: the embedded cloud does not know the resource type ${type}.`);
    const { ref, attributes = {} } = await create({ logicalId, type, properties: resolver.resolve(Properties) }, site);
    resolver.add(logicalId, { type, ref, attributes });
  }
  return { resources: resolver.deployed, outputs: outputsOf(template, resolver), api: api.result, rulesByTarget };
}

/** Made before their role or API is known: how many instances a function may have depends on who invokes it. */
function apiFunctionsOf({ Resources }: Template): Set<string> {
  const apis = Object.values(Resources).filter(({ Type }) => Type === "AWS::ApiGateway::RestApi");
  return references(apis.map(({ Properties }) => Properties));
}

function outputsOf({ Outputs = {} }: Template, resolver: Resolver): Record<string, string> {
  const present = Object.entries(Outputs).filter(([, { Condition }]) => resolver.holds(Condition));
  return Object.fromEntries(present.map(([name, { Value }]) => [name, String(resolver.resolve(Value))]));
}

const creatorsWith = (api: RestApiDeployment): ReadonlyMap<string, Create> =>
  new Map<string, Create>([
    ["AWS::DynamoDB::GlobalTable", table],
    ["AWS::S3::Bucket", bucket],
    ["AWS::S3::BucketPolicy", bucketPolicy],
    ["AWS::KMS::Key", key],
    ["AWS::KMS::Alias", alias],
    ["AWS::IAM::Role", role],
    ["AWS::IAM::Policy", policy],
    ["AWS::Lambda::Function", lambdaFunction],
    ["AWS::Lambda::Permission", permission],
    ["AWS::StepFunctions::StateMachine", stateMachine],
    ["AWS::ECS::TaskDefinition", taskDefinition],
    ["AWS::Events::Rule", rule],
    ["AWS::ApiGateway::RestApi", api.api],
    ["AWS::ApiGateway::GatewayResponse", api.response],
    ["AWS::ApiGateway::Stage", api.stage],
    ...withoutTwin.map((type) => [type, nameOnly] as const),
  ]);

/** Resources that need nothing on this machine: it keeps one log, publishes the API as it is, and pages nobody. */
const withoutTwin = [
  "AWS::ApiGateway::Account",
  "AWS::ApiGateway::Deployment",
  "AWS::CDK::Metadata",
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::CompositeAlarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::Logs::LogGroup",
  "AWS::Logs::MetricFilter",
  "AWS::Logs::ResourcePolicy",
];

/** Others may still refer to them, most often to the ARN of a log group. */
const nameOnly: Create = ({ logicalId, type, properties }, { stackName }) => {
  const ref = properties.LogGroupName ?? properties.AlarmName ?? physicalName(stackName, logicalId);
  if (type === "AWS::Logs::LogGroup") return { ref, attributes: { Arn: arnOf("logs", `log-group:${ref}:*`) } };
  if (type === "AWS::CloudWatch::Alarm") return { ref, attributes: { Arn: arnOf("cloudwatch", `alarm:${ref}`) } };
  return { ref };
};
