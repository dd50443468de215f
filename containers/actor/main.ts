import { runProgram } from "../grpc/program.ts";
import { runAccess, runService } from "../grpc/run-service.ts";
import { actorAccess, actorService } from "./actor-service.ts";

await runProgram({
  name: "actor",
  defaultPort: 50_052,
  access: { ...actorAccess, ...runAccess },
  services: (gate, runs, metrics) => [actorService(gate, runs, metrics), runService(gate)],
});
