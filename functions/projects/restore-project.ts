import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "./authorise.ts";
import { replaceProject } from "./project-store.ts";

export const restoreProject = operation(
  {
    method: "POST",
    path: "/projects/{id}/restore",
    summary: "Take a project out of the recycle bin",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["project_not_found", "permission_denied", "stale_version"],
    grants: { reads: ["project", "member"], writes: ["project", "statistics"] },
  },
  async ({ params, caller, language, now }) => {
    const project = await authorise(caller, "delete", params.id);
    if (!project.isActive) await replaceProject(project, { ...project, isActive: true }, now());
    return { message: language === "zh" ? "项目已恢复" : "The project is restored" };
  },
);
