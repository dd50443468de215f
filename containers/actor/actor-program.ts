import { RecordReader } from "../../functions/runs/record-reader.ts";
import { runIdOf } from "../../functions/runs/run-name.ts";
import type { Program } from "../grpc/program.ts";
import { runAccess, runService } from "../grpc/run-service.ts";
import { isLoopback, mebi } from "../grpc/settings.ts";
import { actorAccess, actorService } from "./actor-service.ts";
import { actorRegistryAccess, actorRegistryService } from "./delivery/actor-registry-service.ts";
import { type DeliveryOptions, ParameterDelivery } from "./delivery/parameter-delivery.ts";

/** The relay of actors, with our own services beside it, and what it does by itself: it brings parameters to actors that can be reached. */
export const actorProgram = (delivering: Pick<DeliveryOptions, "backoffMilliseconds"> = {}): Program => ({
  name: "actor",
  defaultPort: 50_052,
  access: { ...actorAccess, ...runAccess, ...actorRegistryAccess },
  services: (gate, runs, metrics, settings) => {
    const policy = { allowed: settings.OUTBOUND_ALLOWED_HOSTS, isLocal: isLoopback(settings.GRPC_HOST) };
    const delivery = new ParameterDelivery({ policy, signal: gate.draining, ...delivering });
    delivery.start();
    return [
      actorService(gate, runs, metrics, {
        groups: new RecordReader(settings.GRPC_REPLAY_CACHE_MIB * mebi),
        onParameters: ({ tenant, name }) => delivery.parametersCame(runIdOf(tenant, name)),
      }),
      runService(),
      actorRegistryService(delivery, policy),
    ];
  },
});
