import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ask, type Message, open } from "../containers/extension-client.ts";
import { definitions, PlainClient } from "../containers/plain-client.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";

/** Our own services in the programs as `npm start` runs them: with the rights of their roles and no others. */
let service: OwnService;
beforeAll(async () => {
  service = await startOwnService({ actorLearner: { learnerPort: 0, actorPort: 0 } });
});
afterAll(() => service?.stop());

function client(name: "learner" | "actor"): PlainClient {
  const [, port] = (service.cloud.tasks.addresses[name] as string).split(":");
  const made = new PlainClient(Number(port));
  onTestFinished(() => made.close());
  return made;
}

it("lists runs, samples from one and shares it among a group", async () => {
  const [learner, actor] = [client("learner"), client("actor")];
  const values = { "x-hil-run": "arm" };
  for (const text of ["a", "b", "c"])
    expect((await learner.send("SendTransition", { transition_bytes: Buffer.from(text) }, values)).code).toBe(
      status.OK,
    );
  for (const one of [learner, actor]) {
    const { answer } = await ask(one, "RunService/ListRuns");
    expect(answer.runs.map(({ name }: Message) => name)).toEqual(["arm"]);
  }
  const request = { selector: "SELECTOR_PRIORITISED", batch_size: 5, max_samples: 5 };
  const samples = open(learner, "ReplayService/Sample", request, { values });
  expect((await samples.ended).code).toBe(status.OK);
  expect(samples.items[0].samples).toHaveLength(5);
  const members = [1, 2].map(() => actor.stream({ ...values, "x-hil-group": "g", "x-hil-from": "earliest" }));
  await Promise.all(members.map(({ began }) => began));
  expect((await ask(actor, "RunService/CloseRun", { name: "arm" })).answer.status).toBe("RUN_STATUS_CLOSED");
  for (const { ended } of members) expect((await ended).code).toBe(status.OK);
  expect(members.flatMap(({ texts }) => texts).toSorted()).toEqual(["a", "b", "c"]);
});

it("brings parameters to an actor that is registered", async () => {
  const actor = client("actor");
  const arrived = Promise.withResolvers<string>();
  const server = new Server();
  onTestFinished(() => server.forceShutdown());
  const { SendParameters } = definitions.ActorService;
  server.addService(
    { SendParameters },
    {
      SendParameters: (call: Message, answer: (error: null, message: object) => void) => {
        answer(null, {});
        arrived.resolve(String(call.request.parameter_bytes));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const address = `http://127.0.0.1:${port}`;
  expect((await ask(actor, "ActorRegistryService/RegisterActor", { run: "pushed", address })).code).toBe(status.OK);
  const pushed = await actor.send("SendParameters", { parameter_bytes: Buffer.from("v1") }, { "x-hil-run": "pushed" });
  expect(pushed.code).toBe(status.OK);
  expect(await arrived.promise).toBe("v1");
  expect((await ask(actor, "ActorRegistryService/RemoveActor", { run: "pushed", address })).code).toBe(status.OK);
});
