import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, longest first, in the order of their groups. Their length says little: a short file may start processes. */
const longest = [
  "projects/erasure.test.ts",
  "spending/spending-store.test.ts",
  "sources/git/ssh-repository.test.ts",
  "sources/git/hostile-packs.test.ts",
  "users/delete-user.test.ts",
  "auth/login.test.ts",
  "runs/failures.test.ts",
  "projects/erasure-killed.test.ts",
  "database/import-and-export.test.ts",
  "engine/fingerprint-properties.test.ts",
  "engine/determinism.test.ts",
  "instant/instant-analysis.test.ts",
  "contract/s3-streaming.test.ts",
  "engine/hostile-sources.test.ts",
  "containers/replay/table.test.ts",
  "prompts/prompt-templates.test.ts",
  "contract/s3-crash.test.ts",
  "contract/states-crash.test.ts",
  "containers/soak.test.ts",
  "contract/operations.test.ts",
  "e2e/review.test.ts",
  "e2e/git-hosts.test.ts",
  "e2e/scan.test.ts",
  "e2e/local-process.test.ts",
  "e2e/repository.test.ts",
  "e2e/users.test.ts",
  "e2e/faults.test.ts",
  "e2e/database.test.ts",
];

/** Begins with the longest files, so that none of them is left for one worker while the others have nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((file) => moduleId.endsWith(`/test/${file}`));
      return index < 0 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
