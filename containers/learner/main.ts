import { runProgram } from "../grpc/program.ts";
import { runAccess, runService } from "../grpc/run-service.ts";
import { learnerAccess, learnerService } from "./learner-service.ts";

await runProgram({
  name: "learner",
  defaultPort: 50_051,
  access: { ...learnerAccess, ...runAccess },
  services: (gate, runs, metrics) => [learnerService(gate, runs, metrics), runService(gate)],
});
