import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { cancelScansOf } from "../scans/scan-cancellation.ts";
import { authorise } from "./authorise.ts";
import { replaceProject } from "./project-store.ts";

export const deleteProject = operation(
  {
    method: "DELETE",
    path: "/projects/{id}",
    summary: "Move a project to the recycle bin and stop its scans",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["project_not_found", "permission_denied", "stale_version"],
    grants: {
      reads: ["project", "member", "task"],
      writes: ["project", "task", "statistics"],
      indexes: ["gsi1"],
      scanMachine: ["stop"],
    },
  },
  async ({ params, caller, language, now }) => {
    const project = await authorise(caller, "delete", params.id);
    // From here on no scan starts; after a crash in between, asking again stops those that run.
    if (project.isActive) await replaceProject(project, { ...project, isActive: false }, now());
    await cancelScansOf(project.id, now());
    return { message: language === "zh" ? "项目已移至回收站" : "The project is in the recycle bin" };
  },
);
