import * as z from "zod";
import { Branches, CommitId, type Dialect, encoded, filesOf, TreeEntry } from "./dialect.ts";
import { hasNextPage } from "./host-api.ts";
import { invalidUrl } from "./repository-address.ts";

const Repository = z.object({ default_branch: z.string().nullable() });
const Branch = z.object({ name: z.string(), commit: z.object({ sha: CommitId }) });
const Tree = z.object({ tree: z.array(TreeEntry), truncated: z.boolean() });

/** GitHub, GitHub Enterprise Cloud with data residency, and GitHub Enterprise Server: https://docs.github.com/rest */
export const github: Dialect = {
  headers: { Accept: "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28" },

  credentials: (token) => ({ Authorization: `Bearer ${token}` }),

  locate({ origin, host, path }) {
    if (path.length !== 2) throw invalidUrl();
    return { base: apiOf(origin, host), path };
  },

  async defaultBranch(api, path) {
    return (await api.get(`/repos/${encoded(path)}`, Repository)).value.default_branch;
  },

  async branches(api, path, page) {
    const { value, headers } = await api.get(`/repos/${encoded(path)}/branches?per_page=100&page=${page}`, Branches);
    return { items: value.map(({ name }) => name), more: hasNextPage(headers) };
  },

  async branch(api, path, name) {
    const { value } = await api.get(`/repos/${encoded(path)}/branches/${encodeURIComponent(name)}`, Branch);
    return { name: value.name, commit: value.commit.sha };
  },

  /** All in one answer, up to 100,000 entries; what lies beyond has no page. */
  async tree(api, path, commit) {
    const { value } = await api.get(`/repos/${encoded(path)}/git/trees/${commit}?recursive=1`, Tree);
    return { items: filesOf(value.tree), more: false, cut: value.truncated };
  },

  archivePath: (path, commit) => `/repos/${encoded(path)}/zipball/${commit}`,
};

function apiOf(origin: string, host: string): string {
  if (origin === "https://github.com") return "https://api.github.com";
  return host.endsWith(".ghe.com") ? `https://api.${host}` : `${origin}/api/v3`;
}
