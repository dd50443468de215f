import * as z from "zod";
import { type User, UserBrief, userBrief } from "../users/user.ts";

export const SourceType = z.enum(["repository", "zip"]);
export const RepositoryType = z.enum(["github", "gitlab", "gitea", "other"]);

/** A code base that is audited again and again. */
export const Project = z.object({
  id: z.uuid(),
  ownerId: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  sourceType: SourceType,
  repositoryUrl: z.string().nullable(),
  repositoryType: RepositoryType,
  defaultBranch: z.string(),
  programmingLanguages: z.array(z.string()),
  /** False in the recycle bin. */
  isActive: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().nullable(),
  version: z.number().int(),
});
export type Project = z.infer<typeof Project>;

export const ProjectView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  source_type: SourceType,
  repository_url: z.string().nullable(),
  repository_type: RepositoryType,
  default_branch: z.string(),
  /** A JSON array as text: existing front ends parse it themselves. */
  programming_languages: z.string(),
  owner_id: z.string(),
  is_active: z.boolean(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  owner: UserBrief.nullable(),
});

/** `owner` is left out where a list would have to look it up for each row. */
export const projectView = (project: Project, owner: User | null): z.input<typeof ProjectView> => ({
  id: project.id,
  name: project.name,
  description: project.description,
  source_type: project.sourceType,
  repository_url: project.repositoryUrl,
  repository_type: project.repositoryType,
  default_branch: project.defaultBranch,
  programming_languages: JSON.stringify(project.programmingLanguages),
  owner_id: project.ownerId,
  is_active: project.isActive,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
  owner: owner && userBrief(owner),
});

/** What a caller says about a new project. */
export const ProjectDraft = z.object({
  name: z.string().trim().min(1).max(200),
  source_type: SourceType.default("repository"),
  repository_url: z.string().trim().max(2000).nullish(),
  repository_type: RepositoryType.nullish(),
  description: z.string().max(5000).nullish(),
  default_branch: z.string().trim().min(1).max(255).default("main"),
  programming_languages: z.array(z.string().max(50)).max(50).default([]),
});

/** A ZIP project has no repository, whatever the draft says. */
export function newProject(draft: z.output<typeof ProjectDraft>, id: string, ownerId: string, at: Date): Project {
  const isZip = draft.source_type === "zip";
  return {
    id,
    ownerId,
    name: draft.name,
    description: draft.description ?? null,
    sourceType: draft.source_type,
    repositoryUrl: isZip ? null : (draft.repository_url ?? null),
    repositoryType: isZip ? "other" : (draft.repository_type ?? "other"),
    defaultBranch: draft.default_branch,
    programmingLanguages: draft.programming_languages,
    isActive: true,
    createdAt: at.toISOString(),
    updatedAt: null,
    version: 1,
  };
}
