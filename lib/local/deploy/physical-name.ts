import { hash } from "node:crypto";

/**
 * The name of a resource that the template does not name. CloudFormation makes one up; here it follows from the stack and
 * the logical id alone, so that the next start finds the same table.
 */
export function physicalName(stackName: string, logicalId: string, charactersMax = 64): string {
  const name = `${stackName}-${logicalId}`;
  return name.length <= charactersMax
    ? name
    : `${name.slice(0, charactersMax - 9)}-${hash("sha256", name).slice(0, 8)}`;
}

/** Buckets know lower case only, in which two logical ids could become one. */
export const bucketName = (stackName: string, logicalId: string): string =>
  `${`${stackName}-${logicalId}`.toLowerCase().slice(0, 54)}-${hash("sha256", logicalId).slice(0, 8)}`;

/** A key's id, in the form of a UUID. */
export const keyId = (stackName: string, logicalId: string): string =>
  hash("sha256", `${stackName}-${logicalId}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");

/** Ten characters, as API Gateway's ids are. */
export const shortId = (stackName: string, logicalId: string): string =>
  hash("sha256", `${stackName}-${logicalId}`).slice(0, 10);
