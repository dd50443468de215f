import { runProgram } from "../grpc/program.ts";
import { actorAccess, actorService } from "./actor-service.ts";

await runProgram({
  name: "actor",
  defaultPort: 50_052,
  access: actorAccess,
  services: (gate, runs, metrics) => [actorService(gate, runs, metrics)],
});
