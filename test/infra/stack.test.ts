import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { beforeAll, describe, expect, it } from "vitest";
import { synthesise } from "../../bin/local/synthesise.ts";
import { operationList } from "../../functions/operations.ts";
import { fullPath } from "../../functions/platform/contract.ts";
import { lateSeconds } from "../../functions/projects/erasure.ts";
import { workflowTaskList } from "../../functions/workflow-tasks.ts";
import { SluiceStack } from "../../lib/sluice-stack.ts";

// biome-ignore lint/suspicious/noExplicitAny: a CloudFormation template is looked into at every depth.
type Any = any;

let file: string;
let resources: [string, Any][];

beforeAll(async () => {
  file = join(await synthesise(), "Sluice-local.template.json");
  resources = Object.entries(JSON.parse(readFileSync(file, "utf8")).Resources);
});

const all = (type: string): Any[] =>
  resources.filter(([, resource]) => resource.Type === type).map(([, resource]) => resource);

/** The resources of a stack that is not for this machine. */
function deployed(context: Record<string, string>): Record<string, Any> {
  const env = { account: "000000000000", region: "us-east-1" };
  const stack = new SluiceStack(new App({ context }), "Deployed", { stage: "test", bundle: import.meta.dirname, env });
  return Template.fromStack(stack).toJSON().Resources;
}

describe("the stack's size", () => {
  it("leaves room below CloudFormation's 500 resources and 1 MB", () => {
    expect(resources.length).toBeLessThanOrEqual(450);
    expect(statSync(file).size).toBeLessThan(900_000);
  });

  it("would stay below 0.9 MB with as many resources as it may have", () => {
    const bytes = statSync(file).size;
    expect((bytes / resources.length) * 450).toBeLessThan(900_000);
    // A function with its role, its part of the API and its share of the rest: two hundred of them fit.
    expect(bytes / all("AWS::Lambda::Function").length).toBeLessThan(4_000);
  });

  it("has one function and one role per operation and task", () => {
    const functions = all("AWS::Lambda::Function");
    expect(functions).toHaveLength(operationList.length + workflowTaskList.length);
    const roles = new Set(functions.map((fn) => JSON.stringify(fn.Properties.Role)));
    expect(roles.size).toBe(functions.length);
  });

  it("routes every operation of the table and nothing else", () => {
    const [api] = all("AWS::ApiGateway::RestApi");
    const routed = Object.entries(api.Properties.Body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const listed = operationList.map(({ operation: { contract } }) => `${contract.method} ${fullPath(contract)}`);
    const asked = new Set(operationList.map(({ operation: { contract } }) => `OPTIONS ${fullPath(contract)}`));
    expect(routed.toSorted()).toEqual([...listed, ...asked].toSorted());
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe("data at rest", () => {
  it("keeps the table on demand, encrypted with our key, restorable and protected", () => {
    const [table] = all("AWS::DynamoDB::GlobalTable");
    const [replica] = table.Properties.Replicas;
    expect(table).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
    expect(table.Properties).toMatchObject({
      BillingMode: "PAY_PER_REQUEST",
      SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
    });
    expect(replica).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { KMSMasterKeyId: expect.anything() },
    });
  });

  it("keeps buckets encrypted, private, versioned, over TLS only, and cleans them up", () => {
    const buckets = all("AWS::S3::Bucket");
    expect(buckets).toHaveLength(2);
    for (const bucket of buckets) {
      expect(bucket).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
      expect(bucket.Properties).toMatchObject({
        VersioningConfiguration: { Status: "Enabled" },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      });
      const [rule] = bucket.Properties.BucketEncryption.ServerSideEncryptionConfiguration;
      expect(rule).toMatchObject({
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms" },
      });
      expect(bucket.Properties.LifecycleConfiguration.Rules.length).toBeGreaterThanOrEqual(2);
    }
    const policies = all("AWS::S3::BucketPolicy").map((policy) => JSON.stringify(policy));
    expect(policies).toHaveLength(2);
    for (const policy of policies) expect(policy).toContain('"aws:SecureTransport":"false"');
  });

  it("keeps keys for 30 days after deletion and rotates the one that can rotate", () => {
    for (const key of all("AWS::KMS::Key")) {
      expect(key).toMatchObject({ DeletionPolicy: "Retain", Properties: { PendingWindowInDays: 30 } });
      if (key.Properties.KeySpec !== "ECC_NIST_P256") expect(key.Properties.EnableKeyRotation).toBe(true);
    }
  });

  it("never renames what holds data: a new logical id would replace it", () => {
    const stateful = ["AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::KMS::Key", "AWS::KMS::Alias"];
    const ids = resources.filter(([, { Type }]) => stateful.includes(Type)).map(([id]) => id);
    expect(ids.toSorted()).toEqual([
      "DataKey5F086070",
      "DataResultsDF54D4F1",
      "DataSecretsKey873C68EF",
      "DataSecretsKeyAliasAC9CD651",
      "DataSigningKey6D86EA30",
      "DataSigningKeyAlias553DAB24",
      "DataSources2E118840",
      "DataTableFDBAD0F2",
    ]);
  });
});

describe("least privilege", () => {
  const statementsIn = (among: [string, Any][]) =>
    among
      .filter(([, { Type }]) => Type === "AWS::IAM::Role" || Type === "AWS::IAM::Policy")
      .flatMap(([id, { Properties }]) => [
        ...(Properties.Policies ?? []).flatMap((policy: Any) =>
          policy.PolicyDocument.Statement.map((s: Any) => [id, s]),
        ),
        ...(Properties.PolicyDocument?.Statement ?? []).map((s: Any) => [id, s]),
      ]) as [string, Any][];
  const statements = () => statementsIn(resources);
  const actionsOf = (statement: Any): string[] => [statement.Action].flat();

  const roleOf = (name: string) => `Functions${name.charAt(0).toUpperCase()}${name.slice(1)}Role`;
  /** The roles that reach items of these partitions, with what they may do. */
  const statementsOn = (partitions: string) =>
    statements()
      .filter(([, { Condition }]) =>
        Condition?.["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"]?.includes(partitions),
      )
      .map(([id, statement]) => [id.replace(/[0-9A-F]{8}$/, ""), actionsOf(statement)] as const);

  it("attaches no managed policy and allows no wildcard action or resource", () => {
    for (const role of all("AWS::IAM::Role")) expect(role.Properties.ManagedPolicyArns).toBeUndefined();
    for (const [id, statement] of statements()) {
      expect([id, actionsOf(statement).filter((action) => action.includes("*"))]).toEqual([id, []]);
      // Logging in to the registry of images, which knows no resources.
      if (actionsOf(statement).join() === "ecr:GetAuthorizationToken") continue;
      expect([id, [statement.Resource].flat().includes("*")]).toEqual([id, false]);
    }
  });

  it("reaches items only by record kind", () => {
    for (const [id, statement] of statements()) {
      const onItems = actionsOf(statement).some((action) => /^dynamodb:(?!Query$)/.test(action));
      if (onItems)
        expect([id, statement.Condition]).toEqual([
          id,
          { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": expect.any(Array) } },
        ]);
    }
  });

  it("lets no function that counts for an owner write users", () => {
    const writers = statements()
      .filter(([, statement]) => actionsOf(statement).includes("dynamodb:PutItem"))
      .filter(([, statement]) =>
        [statement.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]].flat().includes("U#*"),
      )
      .map(([id]) => id.replace(/^Functions|Role[0-9A-F]{8}$/g, ""));
    for (const name of ["ConcludeScan", "TriageIssue", "CreateProject", "EraseProject", "RecountStatistics"])
      expect(writers).not.toContain(name);
    expect(writers).toContain("CreateAdministrator");
  });

  it("lets permanent deletion list and delete files, and read or write none", () => {
    const actions = statements()
      .filter(([id]) => id.startsWith("FunctionsEraseProjectRole"))
      .flatMap(([, statement]) => actionsOf(statement))
      .filter((action) => action.startsWith("s3:"));
    expect([...new Set(actions)].toSorted()).toEqual([
      "s3:DeleteObject",
      "s3:DeleteObjectVersion",
      "s3:ListBucketVersions",
    ]);
  });

  it("lets only login sign tokens", () => {
    const signers = statements().filter(([, statement]) => actionsOf(statement).includes("kms:Sign"));
    expect(signers.map(([id]) => id.replace(/[0-9A-F]{8}$/, ""))).toEqual(["FunctionsLoginRole"]);
  });

  it("lets functions add to the audit log and one read it, and nobody change it", () => {
    const reaching = statementsOn("AUDIT#*");
    const appending = reaching.filter(([, actions]) => actions.join() === "dynamodb:PutItem").map(([role]) => role);
    const writing = operationList.filter(({ operation }) => operation.contract.method !== "GET");
    expect(appending.toSorted()).toEqual(writing.map(({ name }) => roleOf(name)).toSorted());
    const others = reaching.filter(([role]) => !appending.includes(role));
    expect(others).toEqual([
      [roleOf("listAuditEntries"), ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"]],
    ]);
  });

  it("lets only the operations on tokens, and the one that deletes their owner, write tokens", () => {
    const writing = statementsOn("TOK#*").filter(([, actions]) => actions.includes("dynamodb:PutItem"));
    const roles = ["createToken", "deleteToken", "deleteUser"].map(roleOf);
    expect(writing.map(([role]) => role).toSorted()).toEqual(roles);
  });

  it("opens Bedrock to nobody unless the operator says so", () => {
    expect(JSON.stringify(resources)).not.toContain("bedrock:");
  });

  it("then lets functions that ask models invoke those of Bedrock, and do nothing else there", () => {
    const onBedrock = statementsIn(Object.entries(deployed({ bedrock: "on" }))).filter(([, statement]) =>
      actionsOf(statement).some((action) => action.startsWith("bedrock:")),
    );
    const asking = [
      ...operationList.filter(({ operation }) => operation.contract.grants.bedrock),
      ...workflowTaskList.filter(({ task }) => task.contract.grants.bedrock),
    ];
    expect(onBedrock.map(([id]) => id.replace(/[0-9A-F]{8}$/, "")).toSorted()).toEqual(
      asking.map(({ name }) => roleOf(name)).toSorted(),
    );
    for (const [, statement] of onBedrock) {
      expect(actionsOf(statement)).toEqual(["bedrock:InvokeModel"]);
      expect(JSON.stringify(statement.Resource)).toMatch(/::foundation-model\/\*.*:inference-profile\/\*/);
    }
    expect(asking.map(({ name }) => name)).toContain("testLlm");
  });

  it("gives the functions of system and health no data at all", () => {
    const [, role] = resources.find(([id]) => id.startsWith("FunctionsReadHealthRole")) as [string, Any];
    const actions = role.Properties.Policies.flatMap((policy: Any) =>
      policy.PolicyDocument.Statement.flatMap(actionsOf),
    );
    expect(actions).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
  });
});

describe("running", () => {
  it("ends every function before API Gateway gives up and gives each a log group with retention", () => {
    for (const log of all("AWS::Logs::LogGroup")) expect(log.Properties.RetentionInDays).toBe(30);
    for (const fn of all("AWS::Lambda::Function")) {
      expect(fn.Properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        LoggingConfig: { LogGroup: expect.anything() },
      });
    }
    for (const { name, operation } of operationList) {
      expect([name, operation.contract.timeoutSeconds ?? 25]).toSatisfy(([, seconds]) => (seconds as number) < 29);
    }
  });

  it("lets permanent deletion wait longer than anything runs that writes files", () => {
    const writing = [...operationList.map(({ operation }) => operation), ...workflowTaskList.map(({ task }) => task)]
      .map(({ contract }) => contract)
      .filter(({ grants }) => grants.sources?.writes?.length || grants.results?.writes?.length);
    expect(writing.length).toBeGreaterThan(5);
    for (const { summary, timeoutSeconds = 25 } of writing)
      expect([summary, timeoutSeconds]).toEqual([summary, Math.min(timeoutSeconds, lateSeconds - 60)]);
  });

  it("limits permanent deletion in time, restarts what failed, and recounts every night", () => {
    const machines = all("AWS::StepFunctions::StateMachine").map((machine) => machine.Properties);
    const erasure = machines.find(({ StateMachineName }) => StateMachineName === "sluice-local-erasure");
    expect(JSON.stringify(erasure?.DefinitionString)).toContain('\\"TimeoutSeconds\\":21600');
    const schedules = all("AWS::Events::Rule").map((rule) => rule.Properties.ScheduleExpression);
    expect(schedules).toContain("rate(5 minutes)");
    expect(schedules).toContain("cron(17 2 * * ? *)");
  });

  it("tends runs every night and lets what was exported of them go after a month", () => {
    const schedules = all("AWS::Events::Rule").map((rule) => rule.Properties.ScheduleExpression);
    expect(schedules).toContain("cron(23 3 * * ? *)");
    const rules = all("AWS::S3::Bucket").flatMap((bucket) => bucket.Properties.LifecycleConfiguration.Rules);
    expect(rules).toContainEqual(expect.objectContaining({ Prefix: "exports/", ExpirationInDays: 30 }));
  });

  it("limits the scan in time and in parallel work, and has a rule and a sweeper for stuck scans", () => {
    const [machine] = all("AWS::StepFunctions::StateMachine");
    const definition = JSON.stringify(machine.Properties.DefinitionString);
    // A day to wait for a turn and a day to run.
    expect(definition).toContain('\\"TimeoutSeconds\\":172800');
    expect(definition).toContain('\\"MaxConcurrency\\":20');
    expect(definition).toContain('\\"Mode\\":\\"DISTRIBUTED\\"');
    const rules = all("AWS::Events::Rule").map((rule) => rule.Properties);
    expect(rules).toContainEqual(expect.objectContaining({ ScheduleExpression: "rate(1 minute)" }));
    expect(rules).toContainEqual(
      expect.objectContaining({
        EventPattern: expect.objectContaining({ "detail-type": ["Step Functions Execution Status Change"] }),
      }),
    );
  });
});

describe("front ends of other origins", () => {
  it("are told to every function", () => {
    const found = Object.values(deployed({ corsOrigins: "https://app.test, http://localhost:5173/" }));
    const functions = found.filter(({ Type }) => Type === "AWS::Lambda::Function");
    const told = functions.flatMap(({ Properties }) => Properties.Environment?.Variables?.CORS_ORIGINS ?? []);
    expect(new Set(told)).toEqual(new Set(["https://app.test,http://localhost:5173"]));
    expect(told.length).toBeGreaterThanOrEqual(operationList.length);
  });

  it("end the synthesis where one is no origin", () => {
    expect(() => deployed({ corsOrigins: "https://app.test/path" })).toThrow(
      /"https:\/\/app.test\/path" is not a scheme and a host/,
    );
  });
});
