import type * as z from "zod";
import type { IssueView } from "../../functions/issues/issue.ts";
import type { ProjectView } from "../../functions/projects/project.ts";
import type { TaskView } from "../../functions/scans/task.ts";

/** The service's records as its answers show them. */
export type Issue = z.output<typeof IssueView>;
export type Task = z.output<typeof TaskView>;
export type Project = z.output<typeof ProjectView>;
