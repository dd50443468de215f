import * as z from "zod";
import { says } from "../platform/contract.ts";
import { isBranchName } from "../sources/providers/branch-name.ts";
import { isRepositoryUrl } from "../sources/repository-url.ts";
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
  /** Most that scans of it may spend on models over its whole life; null means no limit. */
  budgetTokens: z.number().int().nullable().default(null),
  budgetUsd: z.number().nullable().default(null),
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
  budget_tokens: z.number().nullable(),
  budget_usd: z.number().nullable(),
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
  budget_tokens: project.budgetTokens,
  budget_usd: project.budgetUsd,
  owner_id: project.ownerId,
  is_active: project.isActive,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
  owner: owner && userBrief(owner),
});

/** Most that may be spent on models; null means no limit. What must spend nothing needs no model. */
export const Budget = z.object({
  budget_tokens: z.number().int().min(1).max(1_000_000_000_000).nullish(),
  budget_usd: z.number().min(0.000001).max(1_000_000).nullish(),
});

const fields = {
  name: z.string().trim().min(1).max(200),
  source_type: SourceType,
  /** Empty means none. Everybody in the project sees it, front ends make links of it, and programs are given it. */
  repository_url: z
    .string()
    .trim()
    .max(2000)
    .transform((url) => url || null)
    .refine((url) => url === null || isRepositoryUrl(url), {
      ...says(
        "仓库地址应为 https://host/owner/repository 或 git@host:owner/repository，且不能包含用户名、密码或令牌（令牌请填写在个人设置中）",
        "expected is https://host/owner/repository or git@host:owner/repository, without a name, password or token (tokens belong into one's settings)",
      ),
    })
    .nullish(),
  repository_type: RepositoryType.nullish(),
  description: z.string().max(5000).nullish(),
  default_branch: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .refine(isBranchName, { ...says("不是有效的分支名", "no branch can have this name") }),
  programming_languages: z.array(z.string().max(50)).max(50),
  ...Budget.shape,
};

/** What a caller says about a new project. */
export const ProjectDraft = z.object({
  ...fields,
  source_type: fields.source_type.default("repository"),
  default_branch: fields.default_branch.default("main"),
  programming_languages: fields.programming_languages.default([]),
});

/** What a caller changes: what is not named stays as it is, null empties a field that can be empty. */
export const ProjectPatch = z.object(fields).partial();

export function newProject(draft: z.output<typeof ProjectDraft>, id: string, ownerId: string, at: Date): Project {
  return withSource({
    id,
    ownerId,
    name: draft.name,
    description: draft.description ?? null,
    sourceType: draft.source_type,
    repositoryUrl: draft.repository_url ?? null,
    repositoryType: draft.repository_type ?? "other",
    defaultBranch: draft.default_branch,
    programmingLanguages: draft.programming_languages,
    budgetTokens: draft.budget_tokens ?? null,
    budgetUsd: draft.budget_usd ?? null,
    isActive: true,
    createdAt: at.toISOString(),
    updatedAt: null,
    version: 1,
  });
}

export function changedProject(project: Project, patch: z.output<typeof ProjectPatch>): Project {
  return withSource({
    ...project,
    name: patch.name ?? project.name,
    description: patch.description === undefined ? project.description : patch.description,
    sourceType: patch.source_type ?? project.sourceType,
    repositoryUrl: patch.repository_url === undefined ? project.repositoryUrl : patch.repository_url,
    repositoryType: patch.repository_type === undefined ? project.repositoryType : (patch.repository_type ?? "other"),
    defaultBranch: patch.default_branch ?? project.defaultBranch,
    programmingLanguages: patch.programming_languages ?? project.programmingLanguages,
    budgetTokens: patch.budget_tokens === undefined ? project.budgetTokens : patch.budget_tokens,
    budgetUsd: patch.budget_usd === undefined ? project.budgetUsd : patch.budget_usd,
  });
}

/** A ZIP project has no repository, whatever was said about one. */
const withSource = (project: Project): Project =>
  project.sourceType === "zip" ? { ...project, repositoryUrl: null, repositoryType: "other" } : project;
