import { runProgram } from "../grpc/program.ts";
import { runAccess, runService } from "../grpc/run-service.ts";
import { mebi } from "../grpc/settings.ts";
import { learnerAccess, learnerService } from "./learner-service.ts";
import { replayAccess, replayService } from "./replay/replay-service.ts";

await runProgram({
  name: "learner",
  defaultPort: 50_051,
  access: { ...learnerAccess, ...runAccess, ...replayAccess },
  services: (gate, runs, metrics, settings) => [
    learnerService(runs, metrics),
    runService(),
    replayService(gate, metrics, settings.GRPC_REPLAY_CACHE_MIB * mebi),
  ],
});
