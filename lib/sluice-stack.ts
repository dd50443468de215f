import { ArnFormat, CfnOutput, CfnParameter, Fn, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { EnvironmentVariables } from "../functions/platform/environment.ts";
import { parseOrigins } from "../functions/platform/origins.ts";
import { parseAllowedHosts } from "../functions/platform/outbound-policy.ts";
import { taskNamed } from "../functions/workflow-tasks.ts";
import { RestApi } from "./api/rest-api.ts";
import { DataLayer } from "./data/data-layer.ts";
import { ProductFunctions } from "./functions/product-functions.ts";
import { ErasureWorkflow } from "./projects/erasure-workflow.ts";
import { NightlyRecount } from "./projects/nightly-recount.ts";
import { ScanWorkflow } from "./scan/scan-workflow.ts";
import { ActorLearnerServices } from "./services/actor-learner-services.ts";
import { ActorLearnerTasks } from "./services/actor-learner-tasks.ts";
import { NightlyRunUpkeep } from "./services/nightly-run-upkeep.ts";

export interface SluiceStackProps extends StackProps {
  /** Names what must be unique in an account: stages live side by side. */
  readonly stage: string;
  /** Folder made by bundleFunctions. */
  readonly bundle: string;
}

/** Sluice in one stack: data, functions, API, scan workflow and, if wanted, the actor-learner services. */
export class SluiceStack extends Stack {
  constructor(scope: Construct, id: string, props: SluiceStackProps) {
    const description = "Sluice audits source code for security problems";
    // CloudFormation counts the spaces too: two fifths of an indented template, which may have 1 MB.
    super(scope, id, { description, suppressTemplateIndentation: true, ...props });
    const data = new DataLayer(this, "Data", {
      stage: props.stage,
      // From the command line it comes as text.
      signingKeyGeneration: Number(this.node.tryGetContext("signingKeyGeneration") ?? 1),
    });
    const scanMachine = `sluice-${props.stage}-scan`;
    const erasureMachine = `sluice-${props.stage}-erasure`;
    const machineArn = (resourceName: string) =>
      this.formatArn({
        service: "states",
        resource: "stateMachine",
        resourceName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
    const environment: EnvironmentVariables = {
      STAGE: props.stage,
      TABLE_NAME: data.table.tableName,
      SOURCES_BUCKET: data.sources.bucketName,
      RESULTS_BUCKET: data.results.bucketName,
      SIGNING_KEY_ALIAS: data.signingKeyAlias,
      SECRETS_KEY_ALIAS: data.secretsKeyAlias,
      OUTBOUND_ALLOWED_HOSTS: this.#allowedHosts(props.stage),
      CORS_ORIGINS: this.#origins(props.stage),
      SCAN_MACHINE_ARN: machineArn(scanMachine),
      ERASURE_MACHINE_ARN: machineArn(erasureMachine),
      AUDIT_DAYS: this.node.tryGetContext("auditDays") ?? "400",
      TOKEN_MINUTES: this.node.tryGetContext("tokenMinutes") ?? "480",
      // Who reaches a deployed stack is unknown; who reaches a local one sits at the machine.
      REGISTRATION: this.node.tryGetContext("registration") ?? (props.stage === "local" ? "on" : "off"),
    };
    const functions = new ProductFunctions(this, "Functions", {
      bundle: props.bundle,
      data,
      environment,
      bedrock: this.node.tryGetContext("bedrock") === "on",
    });
    const administrator = functions.forTask(taskNamed("createAdministrator"));
    new CfnOutput(this, "CreateAdministrator", {
      key: "CreateAdministratorFunction",
      value: administrator.functionName,
    });
    new CfnOutput(this, "RunMigrations", {
      key: "RunMigrationsFunction",
      value: functions.forTask(taskNamed("runMigrations")).functionName,
    });
    new ScanWorkflow(this, "Scan", { stateMachineName: scanMachine, functions, data });
    new ErasureWorkflow(this, "Erasure", { stateMachineName: erasureMachine, functions });
    new NightlyRecount(this, "Recount", { functions });
    new NightlyRunUpkeep(this, "RunUpkeep", { functions });
    new RestApi(this, "Rest", { stage: props.stage, functions });
    this.#actorLearner(props.stage, data, environment);
  }

  /** Without a look at the account, which would need credentials at synthesis; every region has two zones at least. */
  override get availabilityZones(): string[] {
    return [0, 1].map((zone) => Fn.select(zone, Fn.getAzs()));
  }

  /**
   * `-c actorLearner=2`: services with so many actors. By default there are none: an image needs Docker at deployment, and balancer and addresses cost
   * money when idle too. On one machine there are the tasks, which the embedded cloud runs by themselves.
   */
  #actorLearner(stage: string, data: DataLayer, environment: EnvironmentVariables): void {
    const count = wholeNumber("actorLearner", this.node.tryGetContext("actorLearner") ?? 0);
    if (count === 0 && stage !== "local") return;
    const tasks = new ActorLearnerTasks(this, "ActorLearnerTasks", {
      ...{ stage, data, environment },
      cpu: wholeNumber("actorLearnerCpu", this.node.tryGetContext("actorLearnerCpu") ?? 256),
      memoryMiB: wholeNumber("actorLearnerMemory", this.node.tryGetContext("actorLearnerMemory") ?? 512),
    });
    if (stage === "local") return;
    const certificateArn: string | undefined = this.node.tryGetContext("actorLearnerCertificate");
    new ActorLearnerServices(this, "ActorLearner", { stage, tasks, count, certificateArn });
  }

  /**
   * A deployed stack gets the list at synthesis, which a malformed one ends; as a parameter CloudFormation would keep its former value. The
   * local stack is synthesised once and started with many settings, at the same time too, so there it is a parameter.
   */
  #allowedHosts(stage: string): string {
    if (stage === "local") return new CfnParameter(this, "OutboundAllowedHosts", { default: "" }).valueAsString;
    return [...parseAllowedHosts(this.node.tryGetContext("outboundAllowedHosts") ?? "")].join();
  }

  /** The same for the origins of front ends. */
  #origins(stage: string): string {
    if (stage === "local") return new CfnParameter(this, "CorsOrigins", { default: "" }).valueAsString;
    return [...parseOrigins(this.node.tryGetContext("corsOrigins") ?? "")].join();
  }
}

/** Context comes as text from the command line. */
function wholeNumber(name: string, value: unknown): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw new Error(`${name} "${value}": use a whole number`);
  return number;
}
