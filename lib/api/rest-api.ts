import { CfnOutput, Stack } from "aws-cdk-lib";
import * as apigateway from "aws-cdk-lib/aws-apigateway";
import * as iam from "aws-cdk-lib/aws-iam";
import type * as lambda from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { operationList } from "../../functions/operations.ts";
import { apiStage, fullPath } from "../../functions/platform/contract.ts";
import { problems } from "../../functions/platform/problems.ts";
import type { ProductFunctions } from "../functions/product-functions.ts";

export interface RestApiProps {
  readonly stage: string;
  readonly functions: ProductFunctions;
}

/** The REST API: one OpenAPI body made from the operation table, one Lambda per operation, one role that may invoke exactly those. */
export class RestApi extends Construct {
  readonly api: apigateway.SpecRestApi;

  constructor(scope: Construct, id: string, props: RestApiProps) {
    super(scope, id);
    const served = operationList.map((listed) => ({ listed, fn: props.functions.forOperation(listed) }));
    const invoker = new iam.Role(this, "Invoker", {
      description: "API Gateway invokes the functions of the API with it",
      assumedBy: new iam.ServicePrincipal("apigateway.amazonaws.com"),
      inlinePolicies: {
        invoke: new iam.PolicyDocument({
          statements: [
            new iam.PolicyStatement({
              actions: ["lambda:InvokeFunction"],
              resources: served.map(({ fn }) => fn.functionArn),
            }),
          ],
        }),
      },
    });
    const paths: Record<string, Record<string, object>> = {};
    for (const { listed, fn } of served) {
      const { contract } = listed.operation;
      const path = fullPath(contract);
      const method = this.#method(path, fn, invoker);
      // A browser asks before it calls from another origin; any function of the path can say what is allowed.
      paths[path] = { options: method, ...paths[path], [contract.method.toLowerCase()]: method };
    }
    this.api = new apigateway.SpecRestApi(this, "Api", {
      restApiName: `sluice-${props.stage}`,
      apiDefinition: apigateway.ApiDefinition.fromInline({
        openapi: "3.0.1",
        info: { title: `sluice-${props.stage}`, version: "1" },
        paths,
        // Multipart uploads are binary; treating all bodies alike leaves one way to read them.
        "x-amazon-apigateway-binary-media-types": ["*/*"],
        "x-amazon-apigateway-gateway-responses": gatewayResponses,
      }),
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      cloudWatchRole: false,
      deployOptions: { stageName: apiStage, throttlingRateLimit: 50, throttlingBurstLimit: 100 },
    });
    new CfnOutput(this, "Url", { key: "ApiUrl", value: this.api.url });
  }

  #method(path: string, fn: lambda.Function, invoker: iam.Role): object {
    const { partition, region } = Stack.of(this);
    return {
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      })),
      responses: {},
      "x-amazon-apigateway-integration": {
        type: "aws_proxy",
        httpMethod: "POST",
        uri: `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${fn.functionArn}/invocations`,
        credentials: invoker.roleArn,
      },
    };
  }
}

/** What API Gateway refuses by itself has the same shape as what our functions refuse; it knows no languages, so the text is in both. */
const gatewayResponses = {
  // API Gateway's name for "no such route or method".
  MISSING_AUTHENTICATION_TOKEN: refusal(404, "route_not_found", "没有这个接口", "There is no such operation"),
  // API Gateway stops at 10 MB, Lambda at 6 MB of base64, which is about 4 MB of a file.
  REQUEST_TOO_LARGE: refusal(
    413,
    "payload_too_large",
    "请求体过大。约 4 MB 以上的 ZIP 请使用 /projects/{id}/zip/uploads 直接上传，较大的导入文件请用 gzip 压缩",
    "The body is too large; send a ZIP over about 4 MB by /projects/{id}/zip/uploads, and pack a larger file to import with gzip",
  ),
  THROTTLED: refusal(429, "throttled", "请求过于频繁，请稍后重试", "Too many requests; try again shortly"),
  INTEGRATION_TIMEOUT: refusal(504, "timed_out", "操作超时", "The operation took too long"),
  DEFAULT_4XX: refusal(400, "bad_request", "请求格式错误", "The request is malformed"),
  DEFAULT_5XX: refusal(502, "internal_error", problems.internal_error.zh, problems.internal_error.en),
};

function refusal(statusCode: number, code: string, zh: string, en: string): object {
  const body = JSON.stringify({ detail: `${zh} / ${en}`, code, request_id: "$context.requestId" });
  // It is about nobody, so any page may read it.
  const responseParameters = { "gatewayresponse.header.Access-Control-Allow-Origin": "'*'" };
  return { statusCode, responseTemplates: { "application/json": body }, responseParameters };
}
