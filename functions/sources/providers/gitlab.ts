import * as z from "zod";
import { Branches, CommitId, type Dialect, filesOf, TreeEntry } from "./dialect.ts";
import { hasNextPage } from "./host-api.ts";

const Project = z.object({ default_branch: z.string().nullish() });
const Branch = z.object({ name: z.string(), commit: z.object({ id: CommitId }) });
const Tree = z.array(TreeEntry);

/** The project's whole path is one segment: groups and subgroups, their slashes encoded. */
const projectPath = (path: readonly string[]) => `/projects/${encodeURIComponent(path.join("/"))}`;

/** GitLab.com and self-managed GitLab: https://docs.gitlab.com/api/rest/ */
export const gitlab: Dialect = {
  headers: { Accept: "application/json" },

  /** Takes personal, project, group and OAuth tokens alike. */
  credentials: (token) => ({ Authorization: `Bearer ${token}` }),

  locate: ({ origin, path }) => ({ base: `${origin}/api/v4`, path }),

  async defaultBranch(api, path) {
    return (await api.get(projectPath(path), Project)).value.default_branch ?? null;
  },

  async branches(api, path, page) {
    const query = `per_page=100&page=${page}`;
    const { value, headers } = await api.get(`${projectPath(path)}/repository/branches?${query}`, Branches);
    return { items: value.map(({ name }) => name), more: hasNextPage(headers) };
  },

  async branch(api, path, name) {
    const { value } = await api.get(`${projectPath(path)}/repository/branches/${encodeURIComponent(name)}`, Branch);
    return { name: value.name, commit: value.commit.id };
  },

  async tree(api, path, commit, page) {
    const query = `ref=${commit}&recursive=true&per_page=100&page=${page}`;
    const { value, headers } = await api.get(`${projectPath(path)}/repository/tree?${query}`, Tree);
    return { items: filesOf(value), more: hasNextPage(headers) };
  },

  archivePath: (path, commit) => `${projectPath(path)}/repository/archive.zip?sha=${commit}`,
};
