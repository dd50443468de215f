import * as z from "zod";
import type { Task } from "../scans/task.ts";
import type { Project } from "./project.ts";

/** What is counted of all projects that a user created. Integers only, so that adding up in another order gives the same. */
export const Counters = z.object({
  projects: z.number().int(),
  activeProjects: z.number().int(),
  tasks: z.number().int(),
  /** Tasks that run now, which bounds how many more may begin. */
  runningTasks: z.number().int().default(0),
  completedTasks: z.number().int(),
  issues: z.number().int(),
  resolvedIssues: z.number().int(),
  /** Quality scores of completed tasks, added up, in tenths of a point. */
  qualityTenths: z.number().int(),
});
export type Counters = z.infer<typeof Counters>;

export const zero: Counters = {
  projects: 0,
  activeProjects: 0,
  tasks: 0,
  runningTasks: 0,
  completedTasks: 0,
  issues: 0,
  resolvedIssues: 0,
  qualityTenths: 0,
};

/** The counters of an owner as stored: the version tells a recount whether anything happened meanwhile. */
export const Statistics = Counters.extend({ version: z.number().int(), changedAt: z.iso.datetime() });
export type Statistics = z.infer<typeof Statistics>;

export const StatisticsView = z.object({
  total_projects: z.number(),
  active_projects: z.number(),
  total_tasks: z.number(),
  completed_tasks: z.number(),
  total_issues: z.number(),
  resolved_issues: z.number(),
  /** Mean over completed tasks, 0 when there are none. */
  avg_quality_score: z.number(),
});

export const statisticsView = (counted: Counters): z.input<typeof StatisticsView> => ({
  total_projects: counted.projects,
  active_projects: counted.activeProjects,
  total_tasks: counted.tasks,
  completed_tasks: counted.completedTasks,
  total_issues: counted.issues,
  resolved_issues: counted.resolvedIssues,
  avg_quality_score: counted.completedTasks === 0 ? 0 : Math.round(counted.qualityTenths / counted.completedTasks) / 10,
});

/** What one project adds to its owner's counters, its tasks aside. */
export const countedProject = (project: Pick<Project, "isActive">): Partial<Counters> => ({
  projects: 1,
  activeProjects: project.isActive ? 1 : 0,
});

/** What one task adds. Its issues count when it is completed: until then their number moves, and without that they are no result. */
export function countedTask(
  task: Pick<Task, "status" | "issuesCount" | "issuesResolved" | "qualityScore">,
): Partial<Counters> {
  const completed = task.status === "completed";
  return {
    tasks: 1,
    runningTasks: task.status === "running" ? 1 : 0,
    completedTasks: completed ? 1 : 0,
    issues: completed ? task.issuesCount : 0,
    resolvedIssues: task.issuesResolved,
    qualityTenths: completed ? Math.round(task.qualityScore * 10) : 0,
  };
}

/** a + b, or a - b with `sign` -1; what is not named counts 0. */
export const plus = (a: Partial<Counters>, b: Partial<Counters>, sign: 1 | -1 = 1): Counters => {
  const sum = (name: keyof Counters) => (a[name] ?? 0) + sign * (b[name] ?? 0);
  return Object.fromEntries(counterNames.map((name) => [name, sum(name)])) as Counters;
};

export const counterNames = Object.keys(zero) as (keyof Counters)[];
