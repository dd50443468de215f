// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how Fn::Sub is written.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Cloud, startCloud } from "../../lib/local/cloud.ts";
import { localAccount } from "../../lib/local/service.ts";
import { att, fn, lambdaRole, ref, role, writeAssembly } from "./assembly.ts";

const allow = (Action: string | string[], Resource: unknown, Condition?: object) => ({
  Effect: "Allow",
  Action,
  Resource,
  ...(Condition && { Condition }),
});
const client = `import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb"; const db = new DynamoDBClient({ maxAttempts: 1 });`;
const handlers = {
  environment: `export const handler = async () => process.env;`,
  put: `${client}
    export const handler = async (event) => {
      const text = event.body ? Buffer.from(event.body, "base64").toString() : JSON.stringify(event);
      const Item = { pk: { S: event.pathParameters?.id ?? event.pk ?? event.detail.status }, text: { S: text } };
      await db.send(new PutItemCommand({ TableName: process.env.TABLE, Item }));
      return { statusCode: 201, body: "stored" };
    };`,
  tryToPut: `${client}
    export const handler = async ({ pk }) => {
      try {
        await db.send(new PutItemCommand({ TableName: process.env.TABLE, Item: { pk: { S: pk } } }));
        return "stored";
      } catch (error) { return error.name + ": " + error.message; }
    };`,
};
const environment = { Environment: { Variables: { TABLE: ref("Table"), SIZE: 3 } } };
const integration = (logicalId: string, more: object = {}) => ({
  "x-amazon-apigateway-integration": {
    type: "aws_proxy",
    httpMethod: "POST",
    uri: {
      "Fn::Sub": `arn:aws:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/\${${logicalId}.Arn}/invocations`,
    },
    ...more,
  },
});
const machine = (roleId: string) => ({
  Type: "AWS::StepFunctions::StateMachine",
  Properties: {
    RoleArn: att(roleId),
    DefinitionString: {
      "Fn::Sub": JSON.stringify({
        QueryLanguage: "JSONata",
        StartAt: "Put",
        States: {
          Put: {
            Type: "Task",
            Resource: "arn:aws:states:::lambda:invoke",
            Arguments: { FunctionName: "${Put.Arn}", Payload: { pk: "from-machine" } },
            Output: "{% $states.result.Payload.body %}",
            End: true,
          },
        },
      }),
    },
  },
});

const template = {
  Resources: {
    Key: { Type: "AWS::KMS::Key", Properties: {} },
    Table: {
      Type: "AWS::DynamoDB::GlobalTable",
      Properties: {
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        Replicas: [{ Region: "us-east-1", SSESpecification: { KMSMasterKeyId: att("Key") } }],
      },
    },
    PutRole: lambdaRole(
      allow("dynamodb:PutItem", att("Table")),
      allow("kms:Decrypt", att("Key"), { StringEquals: { "kms:ViaService": "dynamodb.us-east-1.amazonaws.com" } }),
    ),
    NoRole: lambdaRole(),
    KeylessRole: lambdaRole(allow("dynamodb:*", att("Table"))),
    LimitedRole: lambdaRole(
      allow("dynamodb:PutItem", att("Table"), { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": "U#*" } }),
      allow("kms:Decrypt", att("Key")),
    ),
    Put: fn("put", "PutRole", environment),
    Environment: fn("environment", "NoRole", environment),
    Denied: fn("tryToPut", "NoRole", environment),
    Keyless: fn("tryToPut", "KeylessRole", environment),
    Limited: fn("tryToPut", "LimitedRole", environment),
    ApiRole: role("apigateway.amazonaws.com", allow("lambda:InvokeFunction", att("Put"))),
    Api: {
      Type: "AWS::ApiGateway::RestApi",
      Properties: {
        Body: {
          "x-amazon-apigateway-gateway-responses": {
            MISSING_AUTHENTICATION_TOKEN: {
              statusCode: 404,
              responseTemplates: { "application/json": '{"from":"the body"}' },
            },
          },
          paths: {
            "/items/{id}": { put: integration("Put", { credentials: att("ApiRole") }) },
            "/denied": { get: integration("Denied", { credentials: att("ApiRole") }) },
            "/permitted": { get: integration("Environment") },
            "/unpermitted": { get: integration("Denied") },
          },
        },
        BinaryMediaTypes: ["*/*"],
      },
    },
    TooLarge: {
      Type: "AWS::ApiGateway::GatewayResponse",
      Properties: {
        RestApiId: ref("Api"),
        ResponseType: "REQUEST_TOO_LARGE",
        StatusCode: "418",
        ResponseParameters: { "gatewayresponse.header.x-from": "'a resource'" },
      },
    },
    ApiPermission: {
      Type: "AWS::Lambda::Permission",
      Properties: {
        Action: "lambda:InvokeFunction",
        FunctionName: att("Environment"),
        Principal: "apigateway.amazonaws.com",
        SourceArn: { "Fn::Sub": "arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/live/GET/permitted" },
      },
    },
    Deployment: { Type: "AWS::ApiGateway::Deployment", Properties: { RestApiId: ref("Api") } },
    Stage: { Type: "AWS::ApiGateway::Stage", Properties: { RestApiId: ref("Api"), StageName: "live" } },
    MachineRole: role("states.amazonaws.com", allow("lambda:InvokeFunction", att("Put"))),
    WeakRole: role("states.amazonaws.com"),
    Machine: machine("MachineRole"),
    WeakMachine: machine("WeakRole"),
    Ended: {
      Type: "AWS::Events::Rule",
      Properties: {
        EventPattern: { source: ["aws.states"], detail: { stateMachineArn: [ref("Machine")], status: ["SUCCEEDED"] } },
        Targets: [{ Id: "0", Arn: att("Put") }],
      },
    },
    EndedPermission: {
      Type: "AWS::Lambda::Permission",
      Properties: {
        Action: "lambda:InvokeFunction",
        FunctionName: ref("Put"),
        Principal: "events.amazonaws.com",
        SourceArn: att("Ended"),
      },
    },
    Skipped: { Type: "AWS::Unknown::Thing", Condition: "Never" },
  },
  Conditions: { Never: { "Fn::Equals": ["a", "b"] } },
  Outputs: { TableName: { Value: ref("Table") }, Never: { Value: "x", Condition: "Never" } },
};

let assembly: string;
let dataFolder: string;
let cloud: Cloud;
const folders: string[] = [];
const scratch = () => {
  folders.push(mkdtempSync(join(tmpdir(), "sluice-cloud-")));
  return folders.at(-1)!;
};

beforeAll(async () => {
  vi.stubEnv("VITE_API_KEY", "of the front end");
  vi.stubEnv("HOST_SECRET", "of the host");
  assembly = await writeAssembly({ template, handlers });
  dataFolder = scratch();
  cloud = await startCloud({ dataFolder, assembly, host: "127.0.0.1" });
});
afterAll(async () => {
  await cloud.stop();
  for (const folder of [...folders, assembly]) rmSync(folder, { recursive: true });
});

const sdk = () => ({
  endpoint: cloud.endpoint,
  region: localAccount.region,
  credentials: cloud.operator,
  maxAttempts: 1,
});
const stored = async (pk: string) => {
  const read = new GetItemCommand({ TableName: cloud.outputs.TableName, Key: { pk: { S: pk } } });
  return (await new DynamoDBClient(sdk()).send(read)).Item?.text?.S;
};

describe("a stack on this machine", () => {
  it("answers its API by its functions, which reach their table with the rights of their roles", async () => {
    const response = await fetch(`${cloud.apiUrl}/items/a%2Fb`, { method: "PUT", body: "héllo" });
    expect([response.status, await response.text()]).toEqual([201, "stored"]);
    expect(await stored("a/b")).toBe("héllo");
  });

  it("gives a function Lambda's environment and its own variables, nothing of the host", async () => {
    const result = await cloud.invoke("Environment", {});
    const variables = (result as { payload: Record<string, string> }).payload;
    expect(Object.keys(variables).toSorted()).toEqual(
      `AWS_ACCESS_KEY_ID AWS_CONFIG_FILE AWS_DEFAULT_REGION AWS_ENDPOINT_URL AWS_EXECUTION_ENV AWS_LAMBDA_FUNCTION_MEMORY_SIZE
      AWS_LAMBDA_FUNCTION_NAME AWS_LAMBDA_FUNCTION_VERSION AWS_LAMBDA_INITIALIZATION_TYPE AWS_LAMBDA_LOG_GROUP_NAME
      AWS_LAMBDA_LOG_STREAM_NAME AWS_REGION AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_SHARED_CREDENTIALS_FILE LAMBDA_TASK_ROOT
      LANG PATH SIZE TABLE TMPDIR TZ _HANDLER`.split(/\s+/),
    );
    expect(variables).toMatchObject({
      AWS_LAMBDA_FUNCTION_NAME: "Test-Environment",
      AWS_ENDPOINT_URL: cloud.endpoint,
      LAMBDA_TASK_ROOT: join(assembly, "asset.functions"),
      SIZE: "3",
      TABLE: "Test-Table",
    });
    expect(variables.TMPDIR).toContain(dataFolder);
  });

  it("denies what a role does not grant, in the words of AWS", async () => {
    const result = await cloud.invoke("Denied", { pk: "x" });
    const who = `arn:aws:sts::000000000000:assumed-role/Test-NoRole/Test-Denied`;
    expect(result).toEqual({
      ok: true,
      payload: `AccessDeniedException: User: ${who} is not authorized to perform: dynamodb:PutItem on resource: ${tableArn}`,
    });
  });

  it("denies a table under a customer key to a role that may not use the key", async () => {
    expect(await cloud.invoke("Keyless", { pk: "x" })).toMatchObject({
      payload: expect.stringContaining("AccessDenied"),
    });
  });

  it("holds a role to the partition keys it is limited to", async () => {
    expect(await cloud.invoke("Limited", { pk: "U#1" })).toEqual({ ok: true, payload: "stored" });
    expect(await cloud.invoke("Limited", { pk: "T#1" })).toMatchObject({
      payload: expect.stringContaining("AccessDenied"),
    });
  });

  it("lets the API invoke a function only by its role or by a permission of the function", async () => {
    const status = async (path: string) => (await fetch(cloud.apiUrl + path)).status;
    expect(await status("/denied")).toBe(500);
    expect(await status("/unpermitted")).toBe(500);
    // It may, and gives something that is no answer of a proxy integration.
    expect(await status("/permitted")).toBe(502);
  });

  it("refuses in the words of its API, wherever the template has them", async () => {
    const unknown = await fetch(`${cloud.apiUrl}/nowhere`);
    expect([unknown.status, await unknown.json()]).toEqual([404, { from: "the body" }]);
    const tooLarge = await fetch(`${cloud.apiUrl}/items/x`, { method: "PUT", body: new Uint8Array(6 * 1024 * 1024) });
    expect([tooLarge.status, tooLarge.headers.get("x-from")]).toEqual([418, "a resource"]);
  });

  it("records each call with the role that made it", async () => {
    const calls: string[] = [];
    cloud.gateway.onCall = ({ role, permissions }) => calls.push(`${role} ${permissions.map(({ action }) => action)}`);
    await fetch(`${cloud.apiUrl}/items/recorded`, { method: "PUT", body: "x" });
    expect(calls).toEqual(["Test-ApiRole lambda:InvokeFunction", "Test-PutRole dynamodb:PutItem"]);
  });

  it("runs state machines with their role, and rules on what becomes of them", async () => {
    const states = new SFNClient(sdk());
    const execute = async (logicalId: string) => {
      const stateMachineArn = cloud.resources.get(logicalId)!.ref;
      const { executionArn } = await states.send(new StartExecutionCommand({ stateMachineArn }));
      for (;;) {
        const execution = await states.send(new DescribeExecutionCommand({ executionArn }));
        if (execution.status !== "RUNNING") return execution;
      }
    };
    expect(await execute("Machine")).toMatchObject({ status: "SUCCEEDED", output: '"stored"' });
    expect(await stored("from-machine")).toBe('{"pk":"from-machine"}');
    let event: string | undefined;
    while (!event) event = await stored("SUCCEEDED");
    expect(JSON.parse(event)).toMatchObject({ source: "aws.states", detail: { status: "SUCCEEDED" } });
    expect(await execute("WeakMachine")).toMatchObject({ status: "FAILED", error: "Lambda.AWSLambdaException" });
  });

  it("is one process's alone", async () => {
    await expect(startCloud({ dataFolder, assembly, host: "127.0.0.1" })).rejects.toThrow(`${dataFolder} is in use`);
  });

  it("says when its port is taken, and lets go of its folder", async () => {
    const port = Number(new URL(cloud.apiUrl).port);
    const other = scratch();
    await expect(startCloud({ dataFolder: other, assembly, host: "127.0.0.1", port })).rejects.toThrow(
      `Port ${port} is in use`,
    );
    await (await startCloud({ dataFolder: other, assembly, host: "127.0.0.1" })).stop();
  });

  it("keeps its data and its names over a restart", async () => {
    const before = cloud.resources;
    await fetch(`${cloud.apiUrl}/items/kept`, { method: "PUT", body: "still here" });
    await cloud.stop();
    cloud = await startCloud({ dataFolder, assembly, host: "127.0.0.1" });
    expect(await stored("kept")).toBe("still here");
    expect(cloud.resources).toEqual(before);
  });
});

const tableArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Test-Table";

describe("a stack that cannot run here", () => {
  const api = (...bodies: object[]) =>
    Object.fromEntries(
      bodies.map((Body, i) => [`Api${i}`, { Type: "AWS::ApiGateway::RestApi", Properties: { Body } }]),
    );
  it.each([
    [
      "a type it does not know",
      { Queue: { Type: "AWS::SQS::Queue" } },
      "Queue: the embedded cloud does not know the resource type AWS::SQS::Queue.",
    ],
    [
      "a property it does not know",
      { Bucket: { Type: "AWS::S3::Bucket", Properties: { WebsiteConfiguration: {} } } },
      "Bucket (AWS::S3::Bucket): the property WebsiteConfiguration",
    ],
    [
      "a role that a function cannot take",
      { R: role("states.amazonaws.com"), F: fn("put", "R") },
      "F (AWS::Lambda::Function): the role Test-R cannot be assumed by lambda.amazonaws.com.",
    ],
    [
      "a role that the API cannot take",
      {
        R: lambdaRole(),
        F: fn("put", "R"),
        ...api({ paths: { "/": { get: integration("F", { credentials: att("R") }) } } }),
      },
      "Api0 (AWS::ApiGateway::RestApi): the role Test-R",
    ],
    [
      "code that is no asset",
      { R: lambdaRole(), F: fn("put", "R", { Code: { ZipFile: "x" } }) },
      "F (AWS::Lambda::Function): only Node.js functions from an asset",
    ],
    [
      "a managed policy",
      {
        R: {
          ...role("a"),
          Properties: { ...role("a").Properties, ManagedPolicyArns: ["arn:aws:iam::aws:policy/AdministratorAccess"] },
        },
      },
      "R: the managed policy",
    ],
    ["two APIs", api({}, {}), "Api1 (AWS::ApiGateway::RestApi): the embedded cloud serves one REST API."],
    [
      "something refers to nothing",
      { B: { Type: "AWS::S3::BucketPolicy", Properties: { Bucket: ref("Gone") } } },
      "refers to Gone",
    ],
  ])("is refused by name: %s", async (_, Resources, message) => {
    const wrong = await writeAssembly({
      template: { Resources },
      handlers: { put: "export const handler = () => {};" },
    });
    folders.push(wrong);
    await expect(startCloud({ dataFolder: scratch(), assembly: wrong, host: "127.0.0.1" })).rejects.toThrow(message);
  });
});
