import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  DescribeMapRunCommand,
  ListExecutionsCommand,
  ListMapRunsCommand,
  RedriveExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { S3 } from "../../lib/local/s3.ts";
import { AwsError, type Json } from "../../lib/local/service.ts";
import { failure, invoke, outcomeOf, StateMachines } from "../support/state-machines.ts";

let machines: StateMachines;
let s3: S3;
let client: S3Client;
let work: (payload: Json) => unknown;
let calls: Json[];
let denied: string | undefined;
const folder = mkdtempSync(join(tmpdir(), "states-s3-"));
const Bucket = "data";

beforeAll(async () => {
  s3 = new S3({ folder });
  await s3.open();
  await s3.ensureBucket({ name: Bucket, versioned: false });
  machines = await StateMachines.open({
    rest: { s3 },
    run: {
      work: (payload) => {
        calls.push(payload);
        return work(payload);
      },
    },
    authorise: (_, __, permissions) => {
      if (permissions.some(({ action }) => action === denied)) throw new AwsError("AccessDeniedException", "denied");
    },
  });
  client = new S3Client({ ...machines.gateway.operator, forcePathStyle: true });
});
beforeEach(() => {
  calls = [];
  work = (payload) => payload;
  denied = undefined;
});
afterAll(async () => {
  client.destroy();
  await machines.close();
  await s3.close();
  rmSync(folder, { recursive: true });
});

const put = (Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket, Key, Body }));
const get = async (Key: string): Promise<Json> =>
  JSON.parse((await (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()) as string);
const map = (more: object = {}, type = "STANDARD") => ({
  StartAt: "Map",
  States: {
    Map: {
      Type: "Map",
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: type },
        StartAt: "Work",
        States: { Work: invoke("work", { End: true }) },
      },
      End: true,
      ...more,
    },
  },
});
const getObject = (Key: string, ReaderConfig: object = { InputType: "JSON" }) => ({
  ItemReader: { Resource: "arn:aws:states:::s3:getObject", ReaderConfig, Arguments: { Bucket, Key } },
});
const mapRunOf = async (executionArn: string) => {
  const { mapRuns } = await machines.sfn.send(new ListMapRunsCommand({ executionArn }));
  return machines.sfn.send(new DescribeMapRunCommand({ mapRunArn: mapRuns?.[0]?.mapRunArn }));
};
const statuses = async (mapRunArn: string | undefined) =>
  (await machines.sfn.send(new ListExecutionsCommand({ mapRunArn }))).executions?.map(({ status }) => status).sort();

describe("where the items come from", () => {
  it("takes the elements of its input, and answers the outputs in their order", async () => {
    expect((await machines.run(map({ MaxConcurrency: 3 }), [5, 6, 7, 8])).output).toEqual([5, 6, 7, 8]);
  });

  it("reads a JSON array from S3", async () => {
    const items = [{ text: 'a]"},{[\\' }, [1, [2]], "x,y", null, 1.5, { 汉: "字" }];
    await put("items.json", ` \n${JSON.stringify(items, null, 2)}\n`);
    expect((await machines.run(map(getObject("items.json")))).output).toEqual(items);
  });

  it("reads JSON Lines, with MaxItems", async () => {
    await put("items.jsonl", '{"n":1}\n\n{"n":2}\r\n{"n":3}');
    const all = getObject("items.jsonl", { InputType: "JSONL" });
    expect((await machines.run(map(all))).output).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const some = getObject("items.jsonl", { InputType: "JSONL", MaxItems: "{% 1 + 1 %}" });
    expect((await machines.run(map(some))).output).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("lists the objects under a prefix", async () => {
    for (const name of ["a", "b"]) await put(`listed/${name}`, name);
    const reader = {
      ItemReader: { Resource: "arn:aws:states:::s3:listObjectsV2", Arguments: { Bucket, Prefix: "listed/" } },
    };
    const { output } = await machines.run(map(reader));
    expect(output).toMatchObject([{ Key: "listed/a", Size: 1, StorageClass: "STANDARD" }, { Key: "listed/b" }]);
    expect(output[0]).toMatchObject({ Etag: expect.any(String), LastModified: expect.any(Number) });
  });

  it.each([
    ["missing", undefined],
    ["broken", "[1, 2"],
    ["no-array", '{"a":1}'],
    ["bad-element", "[1,,2]"],
    ["two-documents", "[1][2]"],
  ])("fails with States.ItemReaderFailed for a document that is %s", async (name, text) => {
    if (text !== undefined) await put(name, text);
    const outcome = await machines.run(map(getObject(name)));
    expect(outcome).toMatchObject({ status: "FAILED", error: "States.ItemReaderFailed" });
    expect((await mapRunOf(outcome.arn)).status).toBe("FAILED");
    expect(calls).toEqual([]);
  });

  it("succeeds at once with no items", async () => {
    expect((await machines.run(map(), [])).output).toEqual([]);
  });
});

describe("what the children get", () => {
  it("is what the ItemSelector makes of each item, with index, value and source", async () => {
    await put("two.json", '["a","b"]');
    const ItemSelector = { item: "{% $states.context.Map.Item %}", job: "{% $states.input.job %}" };
    const { output } = await machines.run(map({ ...getObject("two.json"), ItemSelector }), { job: 9 });
    expect(output).toEqual([
      { item: { Index: 0, Value: "a", Source: "s3://data/two.json" }, job: 9 },
      { item: { Index: 1, Value: "b", Source: "s3://data/two.json" }, job: 9 },
    ]);
  });

  it("is batches of MaxItemsPerBatch with the BatchInput", async () => {
    const ItemBatcher = { MaxItemsPerBatch: 2, BatchInput: { job: "{% $states.input.job %}" } };
    const { arn, output } = await machines.run(map({ Items: "{% $states.input.list %}", ItemBatcher }), {
      list: [1, 2, 3],
      job: "j",
    });
    expect(output).toEqual([
      { BatchInput: { job: "j" }, Items: [1, 2] },
      { BatchInput: { job: "j" }, Items: [3] },
    ]);
    expect(await mapRunOf(arn)).toMatchObject({
      itemCounts: { total: 3, succeeded: 3 },
      executionCounts: { total: 2, succeeded: 2 },
    });
  });

  it("never exceeds MaxInputBytesPerBatch, and fills each batch up to it", async () => {
    const items = Array.from({ length: 30 }, (_, index) => "汉".repeat(index));
    const ItemBatcher = { MaxInputBytesPerBatch: 150 };
    const { output } = await machines.run(map({ ItemBatcher }), items);
    expect(output.flatMap(({ Items }: Json) => Items)).toEqual(items);
    const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
    for (const [index, batch] of output.entries()) {
      expect(bytes(batch)).toBeLessThanOrEqual(150);
      const next = output[index + 1];
      if (next) expect(bytes({ Items: [...batch.Items, next.Items[0]] })).toBeGreaterThan(150);
    }
  });

  it("gives children a name, an ARN and a machine of their own, and no variables of the parent", async () => {
    const definition = map({ Label: "mine" });
    definition.States.Map.ItemProcessor.States = {
      Work: {
        Type: "Pass",
        Output: ["{% $states.context.Execution.Id %}", "{% $states.context.StateMachine.Id %}", "{% $exists($v) %}"],
        End: true,
      },
    } as never;
    const States = { Set: { Type: "Pass", Assign: { v: 1 }, Next: "Map" }, ...definition.States };
    const { output } = await machines.run({ StartAt: "Set", States }, [1]);
    const arn = "arn:aws:states:us-east-1:000000000000";
    expect(output[0]).toEqual([
      expect.stringMatching(`^${arn}:execution:machine/mine:[0-9a-f-]{36}$`),
      `${arn}:stateMachine:machine/mine`,
      false,
    ]);
    expect(await machines.history(output[0][0])).toHaveLength(4);
  });
});

describe("failures", () => {
  const odd = (n: Json) => {
    if (n % 2 === 1) throw failure("Odd");
    return n;
  };

  it("ends the run at the first one that is not tolerated, aborts what runs and leaves the rest pending", async () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    work = odd;
    const { arn, error } = await machines.run(map({ MaxConcurrency: 1 }), items);
    expect(error).toBe("States.ExceedToleratedFailureThreshold");
    expect(calls).toEqual([0, 1]);
    const { status, itemCounts } = await mapRunOf(arn);
    expect({ status, itemCounts }).toMatchObject({
      status: "FAILED",
      itemCounts: { succeeded: 1, failed: 1, pending: 48 },
    });
    expect((await machines.history(arn)).map(({ type }) => type).slice(-3)).toEqual([
      "MapRunFailed",
      "MapStateFailed",
      "ExecutionFailed",
    ]);
  });

  it.each([
    [{ ToleratedFailureCount: 2 }, true],
    [{ ToleratedFailureCount: 1 }, false],
    [{ ToleratedFailurePercentage: 50 }, true],
    [{ ToleratedFailurePercentage: 49 }, false],
    [{ ToleratedFailurePercentage: "{% 100 %}", ToleratedFailureCount: 1 }, false],
    [{ ToleratedFailurePercentage: 100 }, true],
  ])("with %j tolerates two of four: %s", async (tolerance, tolerated) => {
    work = odd;
    const outcome = await machines.run(map({ MaxConcurrency: 1, ...tolerance }), [0, 1, 2, 3]);
    expect(outcome.status).toBe(tolerated ? "SUCCEEDED" : "FAILED");
    if (tolerated)
      expect(outcome.output).toMatchObject([
        0,
        { Status: "FAILED", Error: "Odd", Input: "1" },
        2,
        { Status: "FAILED" },
      ]);
  });

  it("counts every item of a failed batch", async () => {
    work = ({ Items }) => odd(Items[0]);
    const more = { ItemBatcher: { MaxItemsPerBatch: 2 }, MaxConcurrency: 1 };
    expect((await machines.run(map({ ...more, ToleratedFailureCount: 1 }), [1, 2, 4, 6])).status).toBe("FAILED");
    expect((await machines.run(map({ ...more, ToleratedFailureCount: 2 }), [1, 2, 4, 6])).status).toBe("SUCCEEDED");
  });

  it("reads with the machine's role, and fails where that may not", async () => {
    const role = await StateMachines.open({
      rest: { s3 },
      allows: ({ role }, { action }) => role !== "machine" || action !== "s3:GetObject",
    });
    const outcome = await role.run(map(getObject("items.json")));
    await role.close();
    expect(outcome).toMatchObject({ status: "FAILED", error: "States.ItemReaderFailed" });
    expect(outcome.cause).toContain("AccessDenied");
  });

  it("needs a role that may start the machine", async () => {
    denied = "states:StartExecution";
    expect(await machines.run(map(), [1])).toMatchObject({ status: "FAILED", error: "States.Permissions" });
  });
});

describe("ResultWriter", () => {
  const writer = (more: object = {}) => ({
    ResultWriter: {
      Resource: "arn:aws:states:::s3:putObject",
      Arguments: { Bucket, Prefix: "{% 'out/' & $states.input[0] %}" },
      ...more,
    },
  });

  it("writes what succeeded and what failed, and answers where the manifest is", async () => {
    work = (n) => {
      if (n === 2) throw failure("Two");
      return { n };
    };
    const { output } = await machines.run(map({ ...writer(), ToleratedFailureCount: 1 }), [1, 2, 3]);
    const run = output.MapRunArn.split(":").at(-1);
    expect(output.ResultWriterDetails).toEqual({ Bucket, Key: `out/1/${run}/manifest.json` });
    const manifest = await get(output.ResultWriterDetails.Key);
    expect(manifest).toEqual({
      DestinationBucket: Bucket,
      MapRunArn: output.MapRunArn,
      ResultFiles: {
        SUCCEEDED: [{ Key: `out/1/${run}/SUCCEEDED_0.json`, Size: expect.any(Number) }],
        FAILED: [{ Key: `out/1/${run}/FAILED_0.json`, Size: expect.any(Number) }],
        PENDING: [],
      },
    });
    const record = {
      ExecutionArn: expect.any(String),
      Name: expect.any(String),
      StartDate: expect.any(String),
      StopDate: expect.any(String),
    };
    expect(await get(manifest.ResultFiles.SUCCEEDED[0].Key)).toMatchObject([
      { ...record, Input: "1", Output: '{"n":1}', Status: "SUCCEEDED" },
      { ...record, Input: "3", Output: '{"n":3}', Status: "SUCCEEDED" },
    ]);
    expect(await get(manifest.ResultFiles.FAILED[0].Key)).toMatchObject([
      { ...record, Error: "Two", Status: "FAILED" },
    ]);
  });

  it("names what never started when the run fails", async () => {
    work = () => {
      throw failure("All");
    };
    const { arn, error } = await machines.run(map({ ...writer(), MaxConcurrency: 1 }), [7, 8, 9]);
    expect(error).toBe("States.ExceedToleratedFailureThreshold");
    const run = (await mapRunOf(arn)).mapRunArn?.split(":").at(-1);
    expect(await get(`out/7/${run}/PENDING_0.json`)).toMatchObject([{ Input: "8" }, { Input: "9" }]);
  });

  it("writes bare outputs with COMPACT, and their elements with FLATTEN", async () => {
    work = (n) => [n, n];
    const flat = { WriterConfig: { Transformation: "FLATTEN", OutputType: "JSONL" } };
    const { output } = await machines.run(map(writer(flat)), [1, 2]);
    const { ResultFiles } = await get(output.ResultWriterDetails.Key);
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: ResultFiles.SUCCEEDED[0].Key }));
    expect(await Body?.transformToString()).toBe("1\n1\n2\n2\n");
    expect((await machines.run(map({ ResultWriter: flat }), [1, 2])).output).toEqual([1, 1, 2, 2]);
  });

  it("fails with States.ResultWriterFailed when it cannot write", async () => {
    const ResultWriter = { Resource: "arn:aws:states:::s3:putObject", Arguments: { Bucket: "nowhere", Prefix: "" } };
    expect(await machines.run(map({ ResultWriter }), [1])).toMatchObject({ error: "States.ResultWriterFailed" });
  });

  it("fails with States.DataLimitExceeded when the outputs do not fit and nobody writes them", async () => {
    work = () => "x".repeat(100_000);
    expect(await machines.run(map(), [1, 2, 3])).toMatchObject({ error: "States.DataLimitExceeded" });
  });
});

describe("children of type EXPRESS", () => {
  it("run alike, keep no history, and can be described because a Map Run dispatched them", async () => {
    const { arn, output } = await machines.run(map({}, "EXPRESS"), [1, 2]);
    expect(output).toEqual([1, 2]);
    const { mapRunArn } = await mapRunOf(arn);
    const { executions } = await machines.sfn.send(new ListExecutionsCommand({ mapRunArn }));
    const child = executions?.[0]?.executionArn as string;
    expect(child).toMatch(/:express:machine\/Map:/);
    expect(await machines.ended(child)).toMatchObject({ status: "SUCCEEDED", mapRunArn });
    await expect(machines.history(child)).rejects.toMatchObject({ name: "StateMachineTypeNotSupported" });
  });
});

describe("StopExecution in mid-map", () => {
  it("aborts the Map Run and its children at once and ignores what their functions answer", async () => {
    const answers: ((value: unknown) => void)[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    work = () =>
      new Promise((answer) => {
        answers.push(answer);
        if (answers.length === 4) resolve();
      });
    const executionArn = await machines.start(await machines.create(map({ MaxConcurrency: 4 })), [1, 2, 3, 4, 5, 6]);
    await promise;
    await machines.sfn.send(new StopExecutionCommand({ executionArn, error: "Enough", cause: "by hand" }));
    const { mapRunArn, status } = await mapRunOf(executionArn);
    expect(status).toBe("ABORTED");
    expect(await statuses(mapRunArn)).toEqual(Array(4).fill("ABORTED"));
    for (const answer of answers) answer(1);
    await new Promise((turn) => setImmediate(turn));
    expect(await statuses(mapRunArn)).toEqual(Array(4).fill("ABORTED"));
    expect(await machines.ended(executionArn)).toMatchObject({ status: "ABORTED", error: "Enough", cause: "by hand" });
    expect(calls).toHaveLength(4);
  });
});

describe("RedriveExecution", () => {
  it("runs only the failed and pending children again, and what comes after the map", async () => {
    let broken = true;
    work = (n) => {
      if (broken && n === 3) throw failure("Broken");
      return n * 10;
    };
    const { arn } = await machines.run(map({ MaxConcurrency: 1 }), [1, 2, 3, 4]);
    expect(calls).toEqual([1, 2, 3]);
    broken = false;
    await machines.sfn.send(new RedriveExecutionCommand({ executionArn: arn }));
    const execution = await machines.ended(arn);
    expect(outcomeOf(execution)).toMatchObject({ status: "SUCCEEDED", output: [10, 20, 30, 40] });
    expect(execution.redriveCount).toBe(1);
    expect(calls).toEqual([1, 2, 3, 3, 4]);
    expect(await mapRunOf(arn)).toMatchObject({
      status: "SUCCEEDED",
      redriveCount: 1,
      executionCounts: { succeeded: 4 },
    });
    await expect(machines.sfn.send(new RedriveExecutionCommand({ executionArn: arn }))).rejects.toMatchObject({
      name: "ExecutionNotRedrivable",
    });
  });
});
