import * as z from "zod";
import type { Issue } from "../issues/issue.ts";
import type { Project } from "../projects/project.ts";
import type { Task } from "../scans/task.ts";

export const DatabaseStats = z.object({
  total_projects: z.number(),
  active_projects: z.number(),
  total_tasks: z.number(),
  completed_tasks: z.number(),
  pending_tasks: z.number(),
  running_tasks: z.number(),
  failed_tasks: z.number(),
  total_issues: z.number(),
  open_issues: z.number(),
  resolved_issues: z.number(),
  critical_issues: z.number(),
  high_issues: z.number(),
  medium_issues: z.number(),
  low_issues: z.number(),
  total_analyses: z.number(),
  /** People with a part in one's projects. */
  total_members: z.number(),
  has_config: z.boolean(),
});

/** What of an issue is counted. */
export type CountedIssue = Pick<Issue, "severity" | "status">;

export interface Owned {
  readonly projects: readonly Project[];
  readonly tasks: readonly Task[];
  readonly issues: readonly CountedIssue[];
  readonly analyses: number;
  readonly members: number;
  readonly hasConfig: boolean;
}

export function databaseStats({ projects, tasks, issues, ...rest }: Owned): z.input<typeof DatabaseStats> {
  const tasksIn = (status: Task["status"]) => tasks.filter((task) => task.status === status).length;
  const issuesIn = (status: CountedIssue["status"]) => issues.filter((issue) => issue.status === status).length;
  const issuesOf = (severity: CountedIssue["severity"]) => issues.filter((issue) => issue.severity === severity).length;
  return {
    total_projects: projects.length,
    active_projects: projects.filter(({ isActive }) => isActive).length,
    total_tasks: tasks.length,
    completed_tasks: tasksIn("completed"),
    pending_tasks: tasksIn("pending"),
    running_tasks: tasksIn("running"),
    failed_tasks: tasksIn("failed"),
    total_issues: issues.length,
    open_issues: issuesIn("open"),
    resolved_issues: issuesIn("resolved"),
    critical_issues: issuesOf("critical"),
    high_issues: issuesOf("high"),
    medium_issues: issuesOf("medium"),
    low_issues: issuesOf("low"),
    total_analyses: rest.analyses,
    total_members: rest.members,
    has_config: rest.hasConfig,
  };
}
