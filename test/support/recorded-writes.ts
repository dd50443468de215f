import type { Gateway, RecordedCall } from "../../lib/local/gateway.ts";

/** What changes something at a service of AWS; all else that functions do there looks, compares, checks or decrypts. */
const looks =
  /^(dynamodb:(GetItem|BatchGetItem|Query|ConditionCheckItem)|s3:(GetObject|GetObjectVersion|ListBucket|ListBucketVersions)|kms:(Decrypt|GetPublicKey|DescribeKey)|states:DescribeExecution)$/;

/** Listens to a gateway for what functions write from now on. */
export class RecordedWrites {
  #calls: RecordedCall[] = [];

  constructor(gateway: Gateway) {
    gateway.onCall = (call) => this.#calls.push(call);
  }

  /** Forgets what was recorded. */
  clear(): void {
    this.#calls = [];
  }

  /** @returns action and record kind of each write by this operation's function, in order: "dynamodb:PutItem TOKUSE" */
  by(operation: string): string[] {
    const role = `Functions${operation.charAt(0).toUpperCase()}${operation.slice(1)}Role`;
    return this.#calls
      .filter((call) => call.role.includes(role))
      .flatMap(({ permissions }) => permissions)
      .filter(({ action }) => !looks.test(action))
      .flatMap(({ action, context }) => {
        const keys = [context?.["dynamodb:LeadingKeys"] ?? []].flat();
        return keys.length === 0 ? [action] : keys.map((key) => `${action} ${key.split("#")[0]}`);
      });
  }
}
