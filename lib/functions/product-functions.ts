import { Duration, RemovalPolicy, Size } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import * as logs from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { ListedOperation } from "../../functions/operations.ts";
import type { Contract, Grants } from "../../functions/platform/contract.ts";
import type { EnvironmentVariables } from "../../functions/platform/environment.ts";
import type { RecordKind } from "../../functions/platform/table.ts";
import type { ListedTask } from "../../functions/workflow-tasks.ts";
import type { DataLayer } from "../data/data-layer.ts";
import { logStatement, statementsOf } from "./grants.ts";

export interface ProductFunctionsProps {
  /** Folder made by bundleFunctions. */
  readonly bundle: string;
  readonly data: DataLayer;
  readonly environment: EnvironmentVariables;
  /** Whether functions that ask models may ask those of Amazon Bedrock: their users' calls are on the account's bill. */
  readonly bedrock: boolean;
}

/** Makes the Lambda of each operation and workflow task: one asset for all, one role each, one log group per area. */
export class ProductFunctions extends Construct {
  readonly #props: ProductFunctionsProps;
  readonly #code: lambda.Code;
  readonly #logGroups = new Map<string, logs.LogGroup>();

  constructor(scope: Construct, id: string, props: ProductFunctionsProps) {
    super(scope, id);
    this.#props = props;
    this.#code = lambda.Code.fromAsset(props.bundle);
  }

  /** The function of one REST operation. */
  forOperation({ name, area, file, operation: { contract } }: ListedOperation): lambda.Function {
    return this.#function(name, area, file, {
      description: `${contract.method} ${contract.path}: ${contract.summary}`,
      grants: withPlatformGrants(contract),
      memoryMiB: contract.memoryMiB ?? 512,
      timeoutSeconds: contract.timeoutSeconds ?? 25,
      reservedConcurrency: contract.reservedConcurrency,
    });
  }

  /** The function of one workflow task. */
  forTask({ name, area, file, task: { contract } }: ListedTask): lambda.Function {
    return this.#function(name, area, file, { description: contract.summary, memoryMiB: 512, ...contract });
  }

  #function(
    name: string,
    area: string,
    file: string,
    props: {
      description: string;
      grants: Grants;
      memoryMiB?: number;
      ephemeralStorageMiB?: number | undefined;
      timeoutSeconds: number;
      reservedConcurrency?: number | undefined;
    },
  ): lambda.Function {
    const { data, environment, bedrock } = this.#props;
    const logGroup = this.#logGroup(area);
    const id = name.charAt(0).toUpperCase() + name.slice(1);
    const statements = [
      ...statementsOf(
        props.grants,
        data,
        { scan: environment.SCAN_MACHINE_ARN, erasure: environment.ERASURE_MACHINE_ARN },
        { bedrock },
      ),
      logStatement(logGroup.logGroupArn),
    ];
    const role = new iam.Role(this, `${id}Role`, {
      assumedBy: new iam.ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { grants: new iam.PolicyDocument({ statements }) },
    });
    return new lambda.Function(this, id, {
      description: props.description.slice(0, 256),
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      code: this.#code,
      handler: `${file}/index.handler`,
      role: role.withoutPolicyUpdates(),
      logGroup,
      environment: { ...environment },
      memorySize: props.memoryMiB,
      ephemeralStorageSize: props.ephemeralStorageMiB ? Size.mebibytes(props.ephemeralStorageMiB) : undefined,
      timeout: Duration.seconds(props.timeoutSeconds),
      reservedConcurrentExecutions: props.reservedConcurrency,
    });
  }

  #logGroup(area: string): logs.LogGroup {
    const known = this.#logGroups.get(area);
    if (known) return known;
    const made = new logs.LogGroup(this, `${area.charAt(0).toUpperCase()}${area.slice(1)}Logs`, {
      retention: logs.RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#logGroups.set(area, made);
    return made;
  }
}

/** What the middy stack itself reads and writes on behalf of a contract. */
function withPlatformGrants({ attempt, auth, grants, idempotent, method }: Contract): Grants {
  const kinds = (...listed: (readonly RecordKind[] | false | undefined)[]) => listed.flatMap((some) => some || []);
  return {
    ...grants,
    reads: kinds(
      grants.reads,
      auth !== "anyone" && ["user", "signingKey", "apiToken"],
      attempt && ["applicationKey"],
      idempotent && ["idempotency"],
    ),
    writes: kinds(grants.writes, idempotent && ["idempotency"]),
    appends: kinds(
      grants.appends,
      auth !== "anyone" && ["apiTokenUse"],
      attempt && ["applicationKey"],
      method !== "GET" && ["auditEntry"],
    ),
  };
}
