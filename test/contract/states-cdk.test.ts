import { App, Duration, Stack } from "aws-cdk-lib";
import * as lambda from "aws-cdk-lib/aws-lambda";
import * as s3 from "aws-cdk-lib/aws-s3";
import * as sfn from "aws-cdk-lib/aws-stepfunctions";
import * as tasks from "aws-cdk-lib/aws-stepfunctions-tasks";
import { expect, it } from "vitest";
import { functionArn, StateMachines } from "../support/state-machines.ts";

const app = new App({ context: { "@aws-cdk/aws-stepfunctions:useDistributedMapResultWriterV2": true } });
const stack = new Stack(app, "Stack");
const work = lambda.Function.fromFunctionArn(stack, "Work", functionArn("work"));
const bucket = s3.Bucket.fromBucketName(stack, "Bucket", "data");

/** The definition as the template has it, with the partition where a reference to it stands. */
function definitionOf(chain: sfn.IChainable): object {
  const machine = new sfn.StateMachine(stack, `Machine${stack.node.children.length}`, {
    queryLanguage: sfn.QueryLanguage.JSONATA,
    timeout: Duration.hours(1),
    definitionBody: sfn.DefinitionBody.fromChainable(chain),
  });
  const text = stack.resolve((machine.node.defaultChild as sfn.CfnStateMachine).definitionString);
  const parts: unknown[] = typeof text === "string" ? [text] : text["Fn::Join"][1];
  return JSON.parse(parts.map((part) => (typeof part === "string" ? part : "aws")).join(""));
}

const invoke = (id: string, more: Partial<tasks.LambdaInvokeJsonataProps> = {}) =>
  tasks.LambdaInvoke.jsonata(stack, id, {
    lambdaFunction: work,
    payload: sfn.TaskInput.fromText("{% $states.input %}"),
    outputs: "{% $states.result.Payload %}",
    ...more,
  });

it("runs every kind of state as CDK synthesises it", async () => {
  const inline = sfn.Map.jsonata(stack, "Inline", {
    items: sfn.ProvideItems.jsonata("{% $states.input.list %}"),
    maxConcurrency: 2,
  });
  inline.itemProcessor(invoke("InlineWork", { taskTimeout: sfn.Timeout.duration(Duration.seconds(30)) }));
  const distributed = sfn.DistributedMap.jsonata(stack, "Distributed", {
    itemSelector: { n: "{% $states.context.Map.Item.Value %}" },
    itemBatcher: new sfn.ItemBatcher({ maxItemsPerBatch: 2, batchInput: { job: 1 } }),
    maxConcurrency: 2,
    toleratedFailurePercentage: 10,
    mapExecutionType: sfn.StateMachineType.EXPRESS,
    label: "Label",
  });
  distributed.itemProcessor(invoke("BatchWork"));
  const parallel = sfn.Parallel.jsonata(stack, "Both");
  parallel.branch(invoke("Left"), sfn.Pass.jsonata(stack, "Right", { outputs: { is: "right" } }));
  parallel.addRetry({ errors: ["States.ALL"], jitterStrategy: sfn.JitterType.FULL, maxDelay: Duration.seconds(9) });
  parallel.addCatch(sfn.Fail.jsonata(stack, "Failed", { error: "Mine", cause: "{% 'because' %}" }), {
    outputs: "{% $states.errorOutput %}",
    assign: { why: "{% $states.errorOutput.Error %}" },
  });
  const choice = sfn.Choice.jsonata(stack, "Choose")
    .when(sfn.Condition.jsonata("{% $count($states.input) > 0 %}"), parallel)
    .otherwise(sfn.Succeed.jsonata(stack, "Nothing"));
  parallel.next(sfn.Succeed.jsonata(stack, "Done", { outputs: { got: "{% $states.input %}", kept: "{% $kept %}" } }));
  const wait = sfn.Wait.jsonata(stack, "Wait", { time: sfn.WaitTime.seconds("{% 0 %}") });
  const set = sfn.Pass.jsonata(stack, "Set", { assign: { kept: 1 }, outputs: { list: [1, 2, 3] } });
  const definition = definitionOf(set.next(inline).next(distributed).next(wait).next(choice));

  const machines = await StateMachines.open({ run: { work: (payload) => payload } });
  const { output, cause } = await machines.run(definition);
  await machines.close();
  expect(cause).toBeUndefined();
  const batches = [
    { BatchInput: { job: 1 }, Items: [{ n: 1 }, { n: 2 }] },
    { BatchInput: { job: 1 }, Items: [{ n: 3 }] },
  ];
  expect(output).toEqual({ got: [batches, { is: "right" }], kept: 1 });
});

it("accepts readers, the result writer and task tokens as CDK synthesises them", async () => {
  const json = sfn.DistributedMap.jsonata(stack, "Json", {
    itemReader: new sfn.S3JsonItemReader({ bucket, key: "{% $states.input.key %}" }),
    resultWriterV2: new sfn.ResultWriterV2({
      bucket,
      prefix: "results",
      writerConfig: { outputType: sfn.OutputType.JSONL, transformation: sfn.Transformation.COMPACT },
    }),
  });
  json.itemProcessor(sfn.Pass.jsonata(stack, "Each"));
  const lines = sfn.DistributedMap.jsonata(stack, "Lines", {
    itemReader: new sfn.S3JsonLItemReader({ bucket, key: "lines.jsonl", maxItems: 5 }),
    toleratedFailureCount: 3,
  });
  lines.itemProcessor(sfn.Pass.jsonata(stack, "Line"));
  const listed = sfn.DistributedMap.jsonata(stack, "Listed", {
    itemReader: new sfn.S3ObjectsItemReader({ bucket, prefix: "in/" }),
  });
  listed.itemProcessor(sfn.Pass.jsonata(stack, "Object"));
  const token = invoke("Token", {
    integrationPattern: sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
    payload: sfn.TaskInput.fromObject({ token: "{% $states.context.Task.Token %}" }),
    heartbeatTimeout: sfn.Timeout.duration(Duration.minutes(1)),
    outputs: undefined,
  });
  const definition = definitionOf(json.next(lines).next(listed).next(token));
  const machines = await StateMachines.open();
  await expect(machines.create(definition)).resolves.toContain(":stateMachine:machine");
  await machines.close();
});
