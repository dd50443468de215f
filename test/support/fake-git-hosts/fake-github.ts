import { type FakeDialect, FakeGitHost, type FakeRepository, paged } from "./fake-git-host.ts";

const dialect: FakeDialect = (repository, url, { pageMax }) => {
  const base = `/repos/${repository.path}`;
  if (!url.pathname.startsWith(base)) return null;
  const rest = url.pathname.slice(base.length);
  if (rest === "") return { json: { full_name: repository.path, default_branch: repository.defaultBranch } };
  if (rest === "/branches") {
    const { items, headers } = paged([...repository.branches.keys()], url, "per_page", pageMax);
    return { headers, json: items.map((name) => ({ name, protected: false })) };
  }
  const [, kind, name = ""] = /^\/(branches|git\/trees|zipball)\/([^/]+)$/.exec(rest) ?? [];
  const wanted = decodeURIComponent(name);
  const known = [...repository.branches.values()].includes(wanted);
  if (kind === "branches") {
    const sha = repository.branches.get(wanted);
    return sha === undefined ? null : { json: { name: wanted, commit: { sha } } };
  }
  if (kind === "git/trees" && known && url.searchParams.has("recursive"))
    return { json: { sha: wanted, tree: repository.entries, truncated: false } };
  return kind === "zipball" && known ? { bytes: repository.archive } : null;
};

/** GitHub Enterprise Server, with the API of github.com below /api/v3. */
export const fakeGitHub = (repository: FakeRepository, name = "github.test") =>
  new FakeGitHost(name, "/api/v3", dialect, repository);
