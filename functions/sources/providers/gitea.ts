import * as z from "zod";
import { Branches, CommitId, type Dialect, encoded, filesOf, TreeEntry } from "./dialect.ts";
import { hasNextPage } from "./host-api.ts";

const Repository = z.object({ default_branch: z.string().nullish() });
const Branch = z.object({ name: z.string(), commit: z.object({ id: CommitId }) });
const Tree = z.object({ tree: z.array(TreeEntry).nullable(), truncated: z.boolean() });

/** Gitea and Forgejo: https://docs.gitea.com/api */
export const gitea: Dialect = {
  headers: { Accept: "application/json" },

  credentials: (token) => ({ Authorization: `token ${token}` }),

  /** Both may live below a path of their own; owner and name are the last two segments. */
  locate({ origin, path }) {
    const below = path.slice(0, -2).map((part) => `/${encodeURIComponent(part)}`);
    return { base: `${origin}${below.join("")}/api/v1`, path: path.slice(-2) };
  },

  async defaultBranch(api, path) {
    return (await api.get(`/repos/${encoded(path)}`, Repository)).value.default_branch || null;
  },

  /** 50 is what a page has at most unless the operator raised it. */
  async branches(api, path, page) {
    const { value, headers } = await api.get(`/repos/${encoded(path)}/branches?limit=50&page=${page}`, Branches);
    return { items: value.map(({ name }) => name), more: hasNextPage(headers) };
  },

  /** The route takes the rest of the path, slashes and all. */
  async branch(api, path, name) {
    const { value } = await api.get(`/repos/${encoded(path)}/branches/${encoded(name.split("/"))}`, Branch);
    return { name: value.name, commit: value.commit.id };
  },

  /** `truncated` says that there is a next page. */
  async tree(api, path, commit, page) {
    const query = `recursive=true&per_page=1000&page=${page}`;
    const { value } = await api.get(`/repos/${encoded(path)}/git/trees/${commit}?${query}`, Tree);
    return { items: filesOf(value.tree ?? []), more: value.truncated };
  },

  archivePath: (path, commit) => `/repos/${encoded(path)}/archive/${commit}.zip`,
};
