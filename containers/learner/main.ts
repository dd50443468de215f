import { runProgram } from "../grpc/program.ts";
import { learnerAccess, learnerService } from "./learner-service.ts";

await runProgram({
  name: "learner",
  defaultPort: 50_051,
  access: learnerAccess,
  services: (gate, runs, metrics) => [learnerService(gate, runs, metrics)],
});
