import { type FakeDialect, FakeGitHost, type FakeRepository, paged } from "./fake-git-host.ts";

const dialect: FakeDialect = (repository, url, { pageMax }) => {
  const base = `/repos/${repository.path}`;
  if (!url.pathname.startsWith(base)) return null;
  const rest = url.pathname.slice(base.length);
  const known = (commit: string) => [...repository.branches.values()].includes(commit);
  if (rest === "") return { json: { full_name: repository.path, default_branch: repository.defaultBranch ?? "" } };
  if (rest === "/branches") {
    const { items, headers } = paged([...repository.branches.keys()], url, "limit", pageMax);
    return { headers, json: items.map((name) => ({ name })) };
  }
  if (rest.startsWith("/branches/")) {
    // The route takes the rest of the path, and does not decode a slash.
    const name = rest.slice("/branches/".length).split("/").map(decodeURIComponent).join("/");
    const id = rest.includes("%2F") ? undefined : repository.branches.get(name);
    return id === undefined ? null : { json: { name, commit: { id } } };
  }
  if (rest.startsWith("/git/trees/") && known(rest.slice("/git/trees/".length))) {
    const { items, page, more } = paged(repository.entries, url, "per_page", pageMax);
    return { json: { tree: items, page, truncated: more, total_count: repository.entries.length } };
  }
  const [, commit = ""] = /^\/archive\/(\w+)\.zip$/.exec(rest) ?? [];
  return known(commit) ? { bytes: repository.archive } : null;
};

/** Gitea or Forgejo, below a path of its own. */
export const fakeGitea = (repository: FakeRepository, name = "gitea.test") =>
  new FakeGitHost(name, "/git/api/v1", dialect, repository);
