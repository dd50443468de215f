import { hash } from "node:crypto";
import { KMSClient } from "@aws-sdk/client-kms";
import { type SigningCredentials, signedHeaders } from "../../functions/platform/signed-headers.ts";

/** A cold function takes a few seconds; nothing that we call takes longer. */
const timeoutMs = 60_000;

/** AWS refused or failed; the message is AWS's. */
export class AwsRefused extends Error {}

export interface AwsApi {
  /** @throws AwsRefused when there is no such stack or output */
  stackOutput(stack: string, key: string): Promise<string>;
  /** @throws AwsRefused also for an error that the function threw */
  invoke(functionName: string, event: unknown): Promise<unknown>;
}

/**
 * The two calls that an operator's command makes, signed with the credentials and the region that any SDK client would use (environment, profile,
 * single sign-on, instance). Two whole clients for two calls would be more to install than all the command does.
 */
export function awsApi(environment: NodeJS.ProcessEnv, now: () => Date = () => new Date()): AwsApi {
  const call = async (service: string, path: string, contentType: string, body: string): Promise<Response> => {
    const { config } = new KMSClient({});
    const [region, credentials] = await Promise.all([config.region(), config.credentials()]);
    const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    const url = new URL(path, environment.AWS_ENDPOINT_URL ?? `https://${service}.${region}.${domain}`);
    const headers = signedPost({ url, service, region, contentType, body, at: now() }, credentials);
    return fetch(url, { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  };
  return {
    async stackOutput(stack, key) {
      const query = new URLSearchParams({ Action: "DescribeStacks", Version: "2010-05-15", StackName: stack });
      const answer = await call("cloudformation", "/", "application/x-www-form-urlencoded", query.toString());
      const xml = await answer.text();
      if (!answer.ok) throw new AwsRefused(elementOf(xml, "Message") ?? `CloudFormation answered ${answer.status}.`);
      const outputs = xml.split("<member>").filter((member) => elementOf(member, "OutputKey") === key);
      const value = outputs[0] && elementOf(outputs[0], "OutputValue");
      if (!value) throw new AwsRefused(`Stack ${stack} has no output ${key}; deploy it again.`);
      return value;
    },
    async invoke(functionName, event) {
      const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
      const answer = await call("lambda", path, "application/json", JSON.stringify(event));
      const text = await answer.text();
      if (!answer.ok) throw new AwsRefused(messageOf(text) ?? `Lambda answered ${answer.status}.`);
      if (answer.headers.has("x-amz-function-error")) throw new AwsRefused(messageOf(text) ?? "The function failed.");
      return JSON.parse(text);
    },
  };
}

interface Request {
  readonly url: URL;
  readonly service: string;
  readonly region: string;
  readonly contentType: string;
  readonly body: string;
  readonly at: Date;
}

/** A POST without a query, signed. */
export function signedPost(request: Request, credentials: SigningCredentials): Record<string, string> {
  const { url, service, region, contentType, body, at } = request;
  const headers = { "content-type": contentType, host: url.host };
  const contentSha256 = hash("sha256", body);
  return signedHeaders(
    { method: "POST", path: url.pathname, headers, contentSha256, region, service, at },
    credentials,
  );
}

/** Text of an element that has no children. CloudFormation speaks only XML, and this much of it needs no parser. */
const elementOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];

function messageOf(json: string): string | undefined {
  try {
    const { message, Message, errorMessage } = JSON.parse(json);
    return message ?? Message ?? errorMessage;
  } catch {
    return undefined;
  }
}
