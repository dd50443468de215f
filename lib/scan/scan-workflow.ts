import { Duration } from "aws-cdk-lib";
import * as events from "aws-cdk-lib/aws-events";
import * as targets from "aws-cdk-lib/aws-events-targets";
import type * as lambda from "aws-cdk-lib/aws-lambda";
import * as sfn from "aws-cdk-lib/aws-stepfunctions";
import * as tasks from "aws-cdk-lib/aws-stepfunctions-tasks";
import { Construct } from "constructs";
import { taskNamed } from "../../functions/workflow-tasks.ts";
import type { DataLayer } from "../data/data-layer.ts";
import type { ProductFunctions } from "../functions/product-functions.ts";

export interface ScanWorkflowProps {
  /** Fixed, so that functions know the machine's ARN without depending on it. */
  readonly stateMachineName: string;
  readonly functions: ProductFunctions;
  readonly data: DataLayer;
}

/** Simultaneous chunks of one scan: enough for 10,000 files in minutes, few enough to leave the account's concurrency to others. */
const chunksAtOnce = 20;
/** A slow model behind a low limit takes most of a day for a large archive; without a limit an execution may hang for a year. */
const scanHours = 24;
/** A scan that begins after this long still gets its day. */
const waitingHours = 24;
/** Ends no wait before the time does. A minute between two tries keeps two days of them within the 25,000 events of an execution's history. */
const whileOthersRun = {
  errors: ["ScanMustWait"],
  interval: Duration.seconds(1),
  backoffRate: 1.5,
  maxDelay: Duration.seconds(60),
  jitterStrategy: sfn.JitterType.FULL,
  maxAttempts: 100_000,
};
/** A batch that runs out of its function's time goes on in the next one; so many fit into the life of a scan. */
const batchRunsMax = 100;

/**
 * plan, analyse (Distributed Map over chunks), link, review (Distributed Map over batches, where the user has a model), conclude; and the two
 * other ways to a terminal state, rule and sweeper.
 */
export class ScanWorkflow extends Construct {
  readonly stateMachine: sfn.StateMachine;

  constructor(scope: Construct, id: string, props: ScanWorkflowProps) {
    super(scope, id);
    const fn = (name: string) => props.functions.forTask(taskNamed(name));

    this.stateMachine = new sfn.StateMachine(this, "Machine", {
      stateMachineName: props.stateMachineName,
      queryLanguage: sfn.QueryLanguage.JSONATA,
      definitionBody: sfn.DefinitionBody.fromChainable(this.#definition(fn, props.data)),
      timeout: Duration.hours(waitingHours + scanHours),
    });
    // Execution data of a scan is ids and counts; the map reads its chunk list and writes nothing.
    props.data.key.grantDecrypt(this.stateMachine);

    new events.Rule(this, "EndedBadly", {
      description: "Ends the task of an execution that ended without doing so itself",
      eventPattern: {
        source: ["aws.states"],
        detailType: ["Step Functions Execution Status Change"],
        detail: { stateMachineArn: [this.stateMachine.stateMachineArn], status: ["FAILED", "TIMED_OUT", "ABORTED"] },
      },
      targets: [new targets.LambdaFunction(fn("closeScan"))],
    });
    new events.Rule(this, "Sweep", {
      description: "Starts tasks that were never started and ends those that died",
      schedule: events.Schedule.rate(Duration.minutes(1)),
      targets: [new targets.LambdaFunction(fn("sweepScans"))],
    });
  }

  #definition(fn: (name: string) => lambda.Function, data: DataLayer): sfn.IChainable {
    const scan = { task_id: "{% $scan.task_id %}", attempt: "{% $scan.attempt %}" };
    const planned = { assign: { scan: "{% $states.result.Payload %}" } };
    const plan = this.#invoke("Plan", fn("planScan"), "{% $states.input %}", planned, whileOthersRun);
    const analyse = sfn.DistributedMap.jsonata(this, "Analyse", {
      itemReader: new sfn.S3JsonItemReader({ bucket: data.results, key: "{% $scan.chunks_key %}" }),
      itemSelector: {
        ...scan,
        chunk: "{% $states.context.Map.Item.Value.chunk %}",
        // In a list's own brackets: JSONata makes one item of a list of one.
        earlier: "{% [$states.context.Map.Item.Value.earlier] %}",
      },
      maxConcurrency: chunksAtOnce,
      mapExecutionType: sfn.StateMachineType.STANDARD,
      // A chunk that fails after its retries costs its own files, which the task then names; the rest of the scan stands.
      toleratedFailurePercentage: 100,
      outputs: {},
    });
    analyse.itemProcessor(this.#invoke("AnalyseChunk", fn("analyseChunk"), "{% $states.input %}", { outputs: {} }));
    const link = this.#invoke("Link", fn("linkFindings"), scan);
    const planReview = this.#invoke("PlanReview", fn("planReview"), scan, {
      assign: { review: "{% $states.result.Payload %}" },
    });
    const review = sfn.DistributedMap.jsonata(this, "Review", {
      itemReader: new sfn.S3JsonItemReader({ bucket: data.results, key: "{% $review.batches_key %}" }),
      itemSelector: { ...scan, batch: "{% $states.context.Map.Item.Value.batch %}" },
      // As many calls at once as the user allows, divided by those of one function.
      jsonataMaxConcurrency: "{% $review.functions %}",
      mapExecutionType: sfn.StateMachineType.STANDARD,
      // As for chunks: what a batch loses is told file by file, and what the rules found stands.
      toleratedFailurePercentage: 100,
      outputs: {},
    });
    const unfinished = { errors: ["ReviewUnfinished"], interval: Duration.seconds(1), maxAttempts: batchRunsMax };
    review.itemProcessor(
      this.#invoke(
        "ReviewBatch",
        fn("reviewBatch"),
        "{% $states.input %}",
        { outputs: {} },
        { ...unfinished, backoffRate: 1 },
      ),
    );
    const conclude = this.#invoke("Conclude", fn("concludeScan"), scan);
    const done = sfn.Succeed.jsonata(this, "Done");

    const input = "$states.context.Execution.Input";
    const fail = this.#invoke("RecordFailure", fn("failScan"), {
      task_id: `{% ${input}.task_id %}`,
      attempt: `{% ${input}.attempt %}`,
      error: "{% $failure %}",
    });
    fail.next(sfn.Fail.jsonata(this, "Failed", { error: "ScanFailed", cause: "The task says why" }));
    for (const state of [plan, analyse, link, planReview, review, conclude]) {
      state.addCatch(fail, { errors: ["States.ALL"], assign: { failure: "{% $states.errorOutput.Error %}" } });
    }

    const anything = sfn.Choice.jsonata(this, "AnythingToScan")
      .when(sfn.Condition.jsonata("{% $scan.chunks > 0 %}"), analyse)
      .otherwise(link);
    plan.next(anything);
    analyse.next(link);
    const hasModel = sfn.Choice.jsonata(this, "HasModel")
      .when(sfn.Condition.jsonata("{% $scan.review %}"), planReview)
      .otherwise(conclude);
    const anythingToReview = sfn.Choice.jsonata(this, "AnythingToReview")
      .when(sfn.Condition.jsonata("{% $review.batches > 0 %}"), review)
      .otherwise(conclude);
    link.next(hasModel);
    planReview.next(anythingToReview);
    review.next(conclude);
    conclude.next(done);
    return plan;
  }

  #invoke(
    id: string,
    fn: lambda.Function,
    payload: string | Record<string, string>,
    more: { assign?: Record<string, string>; outputs?: object } = {},
    retry?: sfn.RetryProps,
  ): tasks.LambdaInvoke {
    const state = tasks.LambdaInvoke.jsonata(this, id, {
      lambdaFunction: fn,
      payload: typeof payload === "string" ? sfn.TaskInput.fromText(payload) : sfn.TaskInput.fromObject(payload),
      retryOnServiceExceptions: false,
      taskTimeout: sfn.Timeout.duration(Duration.seconds((fn.timeout?.toSeconds() ?? 60) + 15)),
      ...more,
    });
    // What the task itself refuses (a newer attempt, a cancelled task) stays refused; anything else may be a passing fault.
    state.addRetry({ errors: ["SluiceError"], maxAttempts: 0 });
    if (retry) state.addRetry(retry);
    state.addRetry({
      errors: ["States.ALL"],
      interval: Duration.seconds(1),
      backoffRate: 2,
      maxAttempts: 3,
      maxDelay: Duration.seconds(30),
      jitterStrategy: sfn.JitterType.FULL,
    });
    return state;
  }
}
