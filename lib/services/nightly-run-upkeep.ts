import * as events from "aws-cdk-lib/aws-events";
import * as targets from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { taskNamed } from "../../functions/workflow-tasks.ts";
import type { ProductFunctions } from "../functions/product-functions.ts";

/** Tends the runs of actors and learners while fewest robots move; runs are there also when their services are switched off. */
export class NightlyRunUpkeep extends Construct {
  constructor(scope: Construct, id: string, props: { readonly functions: ProductFunctions }) {
    super(scope, id);
    new events.Rule(this, "Nightly", {
      description: "Retention and compaction of all runs",
      schedule: events.Schedule.cron({ hour: "3", minute: "23" }),
      targets: [new targets.LambdaFunction(props.functions.forTask(taskNamed("tendRuns")))],
    });
  }
}
