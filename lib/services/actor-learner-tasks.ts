import { CfnParameter, Duration, RemovalPolicy, Stack, Tokenization } from "aws-cdk-lib";
import * as ecs from "aws-cdk-lib/aws-ecs";
import * as iam from "aws-cdk-lib/aws-iam";
import * as logs from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Grants } from "../../functions/platform/contract.ts";
import type { EnvironmentVariables } from "../../functions/platform/environment.ts";
import type { DataLayer } from "../data/data-layer.ts";
import { statementsOf } from "../functions/grants.ts";
import { programImage } from "./program-image.ts";

export type ProgramName = "learner" | "actor";

export interface ActorLearnerTasksProps {
  readonly stage: string;
  readonly data: DataLayer;
  /** That of the functions: the programs get the little that they share with them. */
  readonly environment: EnvironmentVariables;
  /** A quarter of a vCPU by default. */
  readonly cpu?: number;
  /** @default 512 */
  readonly memoryMiB?: number;
}

export const ports: Readonly<Record<ProgramName, number>> = { learner: 50_051, actor: 50_052 };

/** Between SIGTERM and SIGKILL, the longest that Fargate grants; a drain is over after 100 s. */
const stopTimeout = Duration.seconds(120);

/** The task definitions of the two programs in containers/, each with the rights that it needs. They cost nothing until something runs them. */
export class ActorLearnerTasks extends Construct {
  readonly #props: ActorLearnerTasksProps;
  readonly #logGroup: logs.LogGroup;
  readonly learner: ecs.FargateTaskDefinition;
  readonly actor: ecs.FargateTaskDefinition;

  constructor(scope: Construct, id: string, props: ActorLearnerTasksProps) {
    super(scope, id);
    this.#props = props;
    this.#logGroup = new logs.LogGroup(this, "Logs", {
      retention: logs.RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.learner = this.#task("learner");
    this.actor = this.#task("actor");
  }

  #task(name: ProgramName): ecs.FargateTaskDefinition {
    const { cpu = 256, memoryMiB: memoryLimitMiB = 512 } = this.#props;
    const id = name === "learner" ? "Learner" : "Actor";
    const task = new ecs.FargateTaskDefinition(this, id, {
      cpu,
      memoryLimitMiB,
      runtimePlatform: {
        cpuArchitecture: ecs.CpuArchitecture.ARM64,
        operatingSystemFamily: ecs.OperatingSystemFamily.LINUX,
      },
      taskRole: this.#role(name, id),
    });
    const port = this.#port(name, id);
    const container = task.addContainer(name, {
      image: programImage(name),
      // What runs is said here and not in the image, so that whoever reads the template can run it too.
      entryPoint: ["node", `containers/${name}/main.ts`],
      environment: this.#environment(port),
      portMappings: [{ containerPort: port }],
      logging: ecs.LogDrivers.awsLogs({ logGroup: this.#logGroup, streamPrefix: name }),
      readonlyRootFilesystem: true,
      user: "node",
      stopTimeout,
    });
    container.addUlimits({ name: ecs.UlimitName.NOFILE, softLimit: 65_536, hardLimit: 65_536 });
    return task;
  }

  #role(name: ProgramName, id: string): iam.IRole {
    const { data, environment } = this.#props;
    const statements = [
      ...statementsOf(grants[name], data, {
        scan: environment.SCAN_MACHINE_ARN,
        erasure: environment.ERASURE_MACHINE_ARN,
      }),
      ...(name === "learner" ? [listing(data)] : []),
    ];
    const role = new iam.Role(this, `${id}Role`, {
      assumedBy: new iam.ServicePrincipal("ecs-tasks.amazonaws.com"),
      inlinePolicies: { grants: new iam.PolicyDocument({ statements }) },
    });
    return role.withoutPolicyUpdates();
  }

  /** One assembly serves many starts on one machine, at the same time too, so there the port is a parameter. */
  #port(name: ProgramName, id: string): number {
    if (this.#props.stage !== "local") return ports[name];
    return new CfnParameter(Stack.of(this), `${id}Port`, { type: "Number", default: ports[name] }).valueAsNumber;
  }

  /**
   * In a VPC a program listens to others than itself, so it demands tokens, and a balancer or the VPC stands for TLS. On one machine it keeps its
   * own defaults, which are those of a plain client on loopback.
   */
  #environment(port: number): Record<string, string> {
    const { environment, stage } = this.#props;
    const { TABLE_NAME, RESULTS_BUCKET, OUTBOUND_ALLOWED_HOSTS } = environment;
    const everywhere = {
      ...{ TABLE_NAME, RESULTS_BUCKET, OUTBOUND_ALLOWED_HOSTS },
      AWS_REGION: Stack.of(this).region,
      GRPC_PORT: Tokenization.stringifyNumber(port),
    };
    if (stage === "local") return everywhere;
    return { ...everywhere, GRPC_HOST: "0.0.0.0", GRPC_PLAINTEXT: "on", METRICS_EMF: "on" };
  }
}

/** Who calls is looked up in both, and the caller's runs are listed by an index. */
const callers: Pick<Grants, "appends" | "indexes"> & { readonly reads: readonly ["user", "apiToken", "run"] } = {
  reads: ["user", "apiToken", "run"],
  indexes: ["gsi1"],
  appends: ["apiTokenUse"],
};

/** The learner writes segments and reads them for samples; the actor reads them, keeps parameters and brings them to the actors of all runs. */
const grants: Readonly<Record<ProgramName, Grants>> = {
  learner: {
    ...callers,
    writes: ["run"],
    results: {
      reads: ["runs/*/segments/*"],
      writes: ["runs/*/segments/*", "runs/*/probe"],
      deletes: ["runs/*/segments/*"],
      lists: ["runs/*/segments/*"],
    },
  },
  actor: {
    ...callers,
    indexes: ["gsi1", "gsi3"],
    writes: ["run"],
    results: {
      reads: ["runs/*/segments/*", "runs/*/parameters/*"],
      writes: ["runs/*/parameters/*"],
      deletes: ["runs/*/parameters/*"],
      lists: ["runs/*/parameters/*"],
    },
  },
};

/** Recovery looks for segments that were stored and not indexed. Grants list versions, which is another right. */
const listing = (data: DataLayer): iam.PolicyStatement =>
  new iam.PolicyStatement({
    actions: ["s3:ListBucket"],
    resources: [data.results.bucketArn],
    conditions: { StringLike: { "s3:prefix": ["runs/*/segments/*"] } },
  });
