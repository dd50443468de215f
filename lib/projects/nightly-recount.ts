import * as events from "aws-cdk-lib/aws-events";
import * as targets from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { taskNamed } from "../../functions/workflow-tasks.ts";
import type { ProductFunctions } from "../functions/product-functions.ts";

/** Repairs the statistics while most people sleep, at an odd minute: the full hours are when everybody's schedules run. */
export class NightlyRecount extends Construct {
  constructor(scope: Construct, id: string, props: { readonly functions: ProductFunctions }) {
    super(scope, id);
    new events.Rule(this, "Nightly", {
      description: "Recounts the statistics of all owners",
      schedule: events.Schedule.cron({ hour: "2", minute: "17" }),
      targets: [new targets.LambdaFunction(props.functions.forTask(taskNamed("recountStatistics")))],
    });
  }
}
