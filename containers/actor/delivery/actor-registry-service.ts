import { status } from "@grpc/grpc-js";
import * as z from "zod";
import { isSluiceError } from "../../../functions/platform/errors.ts";
import { actorsOf, type RegisteredActor, registerActor, removeActor } from "../../../functions/runs/actor-registry.ts";
import { RunName, runIdOf } from "../../../functions/runs/run-name.ts";
import { ensureRun } from "../../../functions/runs/run-store.ts";
import { extensionMethod } from "../../grpc/extension.ts";
import { unaryReply } from "../../grpc/handlers.ts";
import { invalidArgument, neverRetry, RpcError } from "../../grpc/rpc-error.ts";
import { inStatuses } from "../../grpc/run-statuses.ts";
import type { ServedService } from "../../grpc/server.ts";
import { type AddressPolicy, actorAddress } from "./actor-address.ts";
import type { ParameterDelivery } from "./parameter-delivery.ts";

const Addressed = z.object({ run: RunName, address: z.string().max(500) });
const methods = {
  RegisterActor: extensionMethod("ActorRegistryService", "RegisterActor", Addressed),
  ListActors: extensionMethod("ActorRegistryService", "ListActors", z.object({ run: RunName })),
  RemoveActor: extensionMethod("ActorRegistryService", "RemoveActor", Addressed),
} as const;

export const actorRegistryAccess = {
  [methods.RegisterActor.path]: "learner",
  [methods.ListActors.path]: "reader",
  [methods.RemoveActor.path]: "learner",
} as const;

/** Parameters go to each of them; who trains more robots at once uses a run for each group. */
const actorsPerRunMax = 64;

/** Says which actors the parameters of a run are brought to. */
export function actorRegistryService(delivery: ParameterDelivery, policy: AddressPolicy): ServedService {
  return {
    name: "hil_serl_ext.v1.ActorRegistryService",
    methods: [
      unaryReply(methods.RegisterActor.path, async ({ caller }, message) => {
        const { run, address } = methods.RegisterActor.decode(message);
        const checked = checkedAddress(address, policy);
        const actor = await inStatuses(async () => {
          const { id } = await ensureRun(caller.tenant, run, new Date());
          const others = (await actorsOf(id)).filter((one) => one.address !== checked);
          if (others.length >= actorsPerRunMax)
            throw new RpcError(status.RESOURCE_EXHAUSTED, `a run has at most ${actorsPerRunMax} actors`, neverRetry);
          return await registerActor(id, checked, new Date());
        });
        delivery.deliver(actor.runId, actor.address);
        return { message: methods.RegisterActor.encode(actorMessage(run, actor)) };
      }),
      unaryReply(methods.ListActors.path, async ({ caller }, message) => {
        const { run } = methods.ListActors.decode(message);
        const actors = await inStatuses(() => actorsOf(runIdOf(caller.tenant, run)));
        return { message: methods.ListActors.encode({ actors: actors.map((actor) => actorMessage(run, actor)) }) };
      }),
      unaryReply(methods.RemoveActor.path, async ({ caller }, message) => {
        const { run, address } = methods.RemoveActor.decode(message);
        // Whatever the rules say by now: what was registered can be removed.
        const origin = URL.parse(address)?.origin ?? address;
        await inStatuses(() => removeActor(runIdOf(caller.tenant, run), origin));
        return { message: methods.RemoveActor.encode({}) };
      }),
    ],
  };
}

function checkedAddress(address: string, policy: AddressPolicy): string {
  try {
    return actorAddress(address, policy);
  } catch (error) {
    if (isSluiceError(error)) throw invalidArgument(error.message);
    throw error;
  }
}

const actorMessage = (run: string, actor: RegisteredActor) => ({
  run,
  address: actor.address,
  delivered_version: actor.deliveredVersion,
  failures: actor.failures,
  last_failure: actor.lastFailure ?? "",
  registered_ms: Date.parse(actor.registeredAt),
  delivered_ms: actor.deliveredAt === null ? 0 : Date.parse(actor.deliveredAt),
});
