import { sdkEnvironment } from "../credentials.ts";
import { type Json, localAccount } from "../service.ts";
import { arnOf, type Create, refuse, trustedRole } from "./declaration.ts";
import { physicalName } from "./physical-name.ts";

/** A task of one container whose image is an asset. What it runs is read from the definition, because nothing here builds an image. */
export const taskDefinition: Create = (declaration, { parts, stackName, assets }) => {
  refuse(declaration, "Volumes");
  const { logicalId, type, properties } = declaration;
  const name = properties.Family ?? physicalName(stackName, logicalId);
  const arn = arnOf("ecs", `task-definition/${name}:1`);
  const [container, ...others] = properties.ContainerDefinitions;
  const { Image, EntryPoint = [], Command = [], Environment = [], PortMappings = [] } = container;
  refuse({ ...declaration, properties: container }, "Secrets", "WorkingDirectory", "MountPoints", "EnvironmentFiles");
  const folder = assets.get(String(Image).replace(/^.*:/, ""));
  const [program, ...rest] = [...EntryPoint, ...Command];
  if (!folder || others.length > 0 || program !== "node" || PortMappings.length !== 1) {
    throw new Error(
      `${logicalId} (${type}): only one container with a port and a Node.js program from an asset is supported.`,
    );
  }
  const role = trustedRole(declaration, parts, properties.TaskRoleArn, "ecs-tasks.amazonaws.com", arn);
  const caller = parts.credentials.issue(role, `arn:aws:sts::${localAccount.account}:assumed-role/${role}/${name}`);
  parts.tasks.add({
    name: container.Name,
    folder,
    args: rest,
    port: Number(PortMappings[0].ContainerPort),
    environment: {
      // Without these the SDK would look for a profile of whoever runs this machine.
      AWS_CONFIG_FILE: "/dev/null",
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
      PATH: "/usr/local/bin:/usr/bin:/bin",
      ...Object.fromEntries(Environment.map(({ Name, Value }: Json) => [Name, String(Value)])),
      ...sdkEnvironment(caller, parts.endpoint),
    },
  });
  return { ref: arn, attributes: { TaskDefinitionArn: arn } };
};
