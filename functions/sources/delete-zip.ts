import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { authorise } from "../projects/authorise.ts";
import { removeStoredZip } from "./stored-zip-store.ts";

export const deleteZip = operation(
  {
    method: "DELETE",
    path: "/projects/{id}/zip",
    summary: "Delete the project's stored ZIP; done as well when there is none",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["project_not_found", "permission_denied"],
    grants: { reads: ["project", "member"], writes: ["project"], sources: { deletes: ["zips/*"] } },
  },
  async ({ params, caller, language }) => {
    const project = await authorise(caller, "manage", params.id);
    await removeStoredZip(project.id);
    return { message: language === "zh" ? "ZIP 文件已删除" : "The ZIP file has been deleted" };
  },
);
