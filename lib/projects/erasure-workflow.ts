import { Duration } from "aws-cdk-lib";
import * as events from "aws-cdk-lib/aws-events";
import * as targets from "aws-cdk-lib/aws-events-targets";
import type * as lambda from "aws-cdk-lib/aws-lambda";
import * as sfn from "aws-cdk-lib/aws-stepfunctions";
import * as tasks from "aws-cdk-lib/aws-stepfunctions-tasks";
import { Construct } from "constructs";
import { lateSeconds } from "../../functions/projects/erasure.ts";
import { taskNamed } from "../../functions/workflow-tasks.ts";
import type { ProductFunctions } from "../functions/product-functions.ts";

export interface ErasureWorkflowProps {
  /** Fixed, so that functions know the machine's ARN without depending on it. */
  readonly stateMachineName: string;
  readonly functions: ProductFunctions;
}

/** A project of many scans takes minutes. What takes longer has failed and is started again by the sweeper. */
const erasureHours = 6;

/** Permanent deletion: erase, wait until nothing can write any more, erase what came late; and the sweeper that restarts it. */
export class ErasureWorkflow extends Construct {
  readonly stateMachine: sfn.StateMachine;

  constructor(scope: Construct, id: string, props: ErasureWorkflowProps) {
    super(scope, id);
    const eraseProject = props.functions.forTask(taskNamed("eraseProject"));
    const erase = this.#runsUntilDone("Erase", eraseProject, false);
    const wait = sfn.Wait.jsonata(this, "UntilNothingWrites", {
      time: sfn.WaitTime.duration(Duration.seconds(lateSeconds)),
    });
    const again = this.#runsUntilDone("EraseLate", eraseProject, true);
    erase.done.otherwise(wait);
    wait.next(again.first);
    again.done.otherwise(sfn.Succeed.jsonata(this, "Done"));

    this.stateMachine = new sfn.StateMachine(this, "Machine", {
      stateMachineName: props.stateMachineName,
      queryLanguage: sfn.QueryLanguage.JSONATA,
      definitionBody: sfn.DefinitionBody.fromChainable(erase.first),
      timeout: Duration.hours(erasureHours),
    });
    new events.Rule(this, "Sweep", {
      description: "Starts permanent deletions that were never started, and again those that failed",
      schedule: events.Schedule.rate(Duration.minutes(5)),
      targets: [new targets.LambdaFunction(props.functions.forTask(taskNamed("sweepErasures")))],
    });
  }

  #runsUntilDone(id: string, fn: lambda.Function, last: boolean): { first: sfn.IChainable; done: sfn.Choice } {
    const run = tasks.LambdaInvoke.jsonata(this, id, {
      lambdaFunction: fn,
      payload: sfn.TaskInput.fromObject({ project_id: "{% $states.context.Execution.Input.project_id %}", last }),
      assign: { done: "{% $states.result.Payload.done %}" },
      retryOnServiceExceptions: false,
      taskTimeout: sfn.Timeout.duration(Duration.seconds((fn.timeout?.toSeconds() ?? 60) + 15)),
    });
    run.addRetry({
      errors: ["States.ALL"],
      interval: Duration.seconds(2),
      backoffRate: 2,
      maxAttempts: 6,
      maxDelay: Duration.minutes(2),
      jitterStrategy: sfn.JitterType.FULL,
    });
    const done = sfn.Choice.jsonata(this, `${id}Again`).when(sfn.Condition.jsonata("{% $done = false %}"), run);
    run.next(done);
    return { first: run, done };
  }
}
