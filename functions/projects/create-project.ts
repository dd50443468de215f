import { v7 as uuid } from "uuid";
import { operation } from "../platform/operation.ts";
import { newProject, ProjectDraft, ProjectView, projectView } from "./project.ts";
import * as projects from "./project-store.ts";

export const createProject = operation(
  {
    method: "POST",
    path: "/projects",
    summary: "Create a project",
    auth: "user",
    // `npm run scan` makes the project that a first scan needs.
    scope: "scan",
    body: ProjectDraft,
    success: ProjectView,
    failures: [],
    grants: { writes: ["project", "statistics"], checks: ["user"] },
    idempotent: true,
  },
  async ({ body, caller, now }) => {
    const project = newProject(body, uuid(), caller.id, now());
    await projects.createProject(project);
    return projectView(project, caller);
  },
);
