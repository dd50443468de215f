import { roleArn } from "../iam.ts";
import type { Json } from "../service.ts";
import { type Create, refuse } from "./declaration.ts";
import { physicalName } from "./physical-name.ts";

/** What these allow (logs, network interfaces) has no twin on this machine. */
const managedPoliciesWithoutEffect = new Set([
  "service-role/AWSLambdaBasicExecutionRole",
  "service-role/AWSLambdaVPCAccessExecutionRole",
  "service-role/AmazonAPIGatewayPushToCloudWatchLogs",
]);

export const role: Create = (declaration, { parts, stackName }) => {
  refuse(declaration, "PermissionsBoundary");
  const { logicalId, properties } = declaration;
  const name = properties.RoleName ?? physicalName(stackName, logicalId);
  for (const managed of properties.ManagedPolicyArns ?? []) {
    if (!managedPoliciesWithoutEffect.has(managed.replace(/^.*:policy\//, ""))) {
      throw new Error(`${logicalId}: the managed policy ${managed} is not supported by the embedded cloud.`);
    }
  }
  parts.iam.addRole({
    name,
    trust: properties.AssumeRolePolicyDocument,
    policies: (properties.Policies ?? []).map(({ PolicyDocument }: Json) => PolicyDocument),
  });
  return { ref: name, attributes: { Arn: roleArn(name), RoleId: logicalId } };
};

export const policy: Create = (declaration, { parts }) => {
  refuse(declaration, "Users", "Groups");
  const { logicalId, properties } = declaration;
  for (const name of properties.Roles ?? []) parts.iam.attachPolicy(name, properties.PolicyDocument);
  return { ref: logicalId };
};
