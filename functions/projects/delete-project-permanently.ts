import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "./authorise.ts";
import { startErasure } from "./erasure-execution.ts";
import { buryProject } from "./project-store.ts";

export const deleteProjectPermanently = operation(
  {
    method: "DELETE",
    path: "/projects/{id}/permanent",
    summary: "Delete a project for good, with its tasks, issues, members and files; it is gone from all lists at once",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["project_not_found", "permission_denied", "stale_version"],
    grants: {
      reads: ["project", "member"],
      writes: ["project", "statistics"],
      erasureMachine: ["start"],
    },
  },
  async ({ params, caller, language, now }) => {
    const project = await authorise(caller, "delete", params.id);
    const at = now();
    await buryProject(project, at);
    // A crash right here loses nothing: the sweeper starts what was buried and is not erased.
    await startErasure(project.id, at, at);
    return { message: language === "zh" ? "项目已永久删除" : "The project is deleted for good" };
  },
);
