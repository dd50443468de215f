import { runProgram } from "../grpc/program.ts";
import { actorProgram } from "./actor-program.ts";

await runProgram(actorProgram());
