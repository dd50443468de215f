import { type FakeDialect, FakeGitHost, type FakeRepository, paged } from "./fake-git-host.ts";

const dialect: FakeDialect = (repository, url, { pageMax }) => {
  const base = `/projects/${encodeURIComponent(repository.path)}`;
  if (!url.pathname.startsWith(base)) return null;
  const rest = url.pathname.slice(base.length);
  const commits = [...repository.branches.values()];
  if (rest === "") return { json: { path_with_namespace: repository.path, default_branch: repository.defaultBranch } };
  if (rest === "/repository/branches") {
    const { items, page, more } = paged([...repository.branches.keys()], url, "per_page", pageMax);
    return { headers: { "x-next-page": more ? String(page + 1) : "" }, json: items.map((name) => ({ name })) };
  }
  if (rest.startsWith("/repository/branches/")) {
    const name = decodeURIComponent(rest.slice("/repository/branches/".length));
    const id = repository.branches.get(name);
    return id === undefined || rest.split("/").length > 4 ? null : { json: { name, commit: { id } } };
  }
  if (rest === "/repository/tree" && commits.includes(url.searchParams.get("ref") ?? "")) {
    const { items, headers } = paged(repository.entries, url, "per_page", pageMax);
    // GitLab tells no sizes.
    return { headers, json: items.map(({ size: _, ...entry }) => ({ ...entry, id: "0", name: entry.path })) };
  }
  return rest === "/repository/archive.zip" && commits.includes(url.searchParams.get("sha") ?? "")
    ? { bytes: repository.archive }
    : null;
};

/** Self-managed GitLab. */
export const fakeGitLab = (repository: FakeRepository, name = "gitlab.test") =>
  new FakeGitHost(name, "/api/v4", dialect, repository);
