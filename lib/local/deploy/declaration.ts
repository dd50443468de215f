import type { Credentials } from "../credentials.ts";
import type { DynamoDb } from "../dynamodb.ts";
import type { Iam } from "../iam.ts";
import type { Kms } from "../kms.ts";
import type { Lambda } from "../lambda.ts";
import type { S3 } from "../s3.ts";
import type { Schedule } from "../schedule.ts";
import { type Json, localAccount } from "../service.ts";
import type { States } from "../states.ts";
import type { Tasks } from "../tasks.ts";

/** The parts of the embedded cloud that resources are created in, all of them open. */
export interface Parts {
  readonly iam: Iam;
  readonly lambda: Lambda;
  readonly dynamodb: DynamoDb;
  readonly s3: S3;
  readonly kms: Kms;
  readonly states: States;
  readonly schedule: Schedule;
  readonly tasks: Tasks;
  readonly credentials: Credentials;
  /** URL of the gateway, for the functions' environment. */
  readonly endpoint: string;
  /** Functions find their temporary folders in here. */
  readonly temporaryFolder: string;
}

/** What creating resources needs to know of the stack around them. */
export interface Site {
  readonly parts: Parts;
  readonly stackName: string;
  /** Folders of assets by the key that the template names them with. */
  readonly assets: ReadonlyMap<string, string>;
  /** Logical ids of the functions that the API invokes. */
  readonly apiFunctions: ReadonlySet<string>;
  /** ARNs of rules by the ARN of their target, filled as rules are created. */
  readonly rulesByTarget: Map<string, string[]>;
}

/** A resource of the template with everything it refers to resolved. */
export interface Declaration {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Json;
}

/** What a created resource answers to Ref and GetAtt. */
export interface Created {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Creates a resource, or makes an existing one as declared; every start of the embedded cloud deploys anew. */
export type Create = (declaration: Declaration, site: Site) => Created | Promise<Created>;

/** @throws Error when a resource asks for what would silently be left out */
export function refuse({ logicalId, type, properties }: Declaration, ...names: readonly string[]): void {
  const name = names.find((property) => properties[property] !== undefined);
  if (name) throw new Error(`${logicalId} (${type}): the property ${name} is not supported by the embedded cloud.`);
}

export const arnOf = (service: string, resource: string): string =>
  `arn:aws:${service}:${localAccount.region}:${localAccount.account}:${resource}`;

/**
 * The name of the role that a resource hands to a service.
 * @throws Error when the role does not trust the service, which fails the deployment on AWS
 */
export function trustedRole(
  { logicalId, type }: Declaration,
  parts: Parts,
  role: string,
  service: string,
  sourceArn: string,
) {
  const name = role.replace(/^.*:role\//, "");
  if (!parts.iam.trusts(name, service, sourceArn)) {
    throw new Error(`${logicalId} (${type}): the role ${name} cannot be assumed by ${service}.`);
  }
  return name;
}
