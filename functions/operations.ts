import { listAuditEntries } from "./audit-log/list-audit-entries.ts";
import { login } from "./auth/login.ts";
import { readJwks } from "./auth/read-jwks.ts";
import { register } from "./auth/register.ts";
import { deleteMyConfig } from "./config/delete-my-config.ts";
import { readConfigDefaults } from "./config/read-config-defaults.ts";
import { readMyConfig } from "./config/read-my-config.ts";
import { updateMyConfig } from "./config/update-my-config.ts";
import { clearDatabase } from "./database/clear-database.ts";
import { exportDatabase } from "./database/export-database.ts";
import { importDatabase } from "./database/import-database.ts";
import { listMigrations } from "./database/list-migrations.ts";
import { readDatabaseHealth } from "./database/read-database-health.ts";
import { readDatabaseStats } from "./database/read-database-stats.ts";
import { listEmbeddingModels } from "./embedding/list-embedding-models.ts";
import { listEmbeddingProviders } from "./embedding/list-embedding-providers.ts";
import { readEmbeddingConfig } from "./embedding/read-embedding-config.ts";
import { testEmbedding } from "./embedding/test-embedding.ts";
import { updateEmbeddingConfig } from "./embedding/update-embedding-config.ts";
import { analyseCode } from "./instant/analyse-code.ts";
import { clearInstantAnalyses } from "./instant/clear-instant-analyses.ts";
import { deleteInstantAnalysis } from "./instant/delete-instant-analysis.ts";
import { listInstantAnalyses } from "./instant/list-instant-analyses.ts";
import { listIssues } from "./issues/list-issues.ts";
import { readIssue } from "./issues/read-issue.ts";
import { triageIssue } from "./issues/triage-issue.ts";
import { listLlmProviders } from "./llm/list-llm-providers.ts";
import { testLlm } from "./llm/test-llm.ts";
import { addMember } from "./members/add-member.ts";
import { changeMember } from "./members/change-member.ts";
import { listMembers } from "./members/list-members.ts";
import { removeMember } from "./members/remove-member.ts";
import type { Operation } from "./platform/operation.ts";
import { createProject } from "./projects/create-project.ts";
import { deleteProject } from "./projects/delete-project.ts";
import { deleteProjectPermanently } from "./projects/delete-project-permanently.ts";
import { listDeletedProjects } from "./projects/list-deleted-projects.ts";
import { listProjects } from "./projects/list-projects.ts";
import { readProject } from "./projects/read-project.ts";
import { readProjectStats } from "./projects/read-project-stats.ts";
import { restoreProject } from "./projects/restore-project.ts";
import { updateProject } from "./projects/update-project.ts";
import { createPromptTemplate } from "./prompts/create-prompt-template.ts";
import { deletePromptTemplate } from "./prompts/delete-prompt-template.ts";
import { listPromptTemplates } from "./prompts/list-prompt-templates.ts";
import { readPromptTemplate } from "./prompts/read-prompt-template.ts";
import { setDefaultPromptTemplate } from "./prompts/set-default-prompt-template.ts";
import { testPromptTemplate } from "./prompts/test-prompt-template.ts";
import { updatePromptTemplate } from "./prompts/update-prompt-template.ts";
import { readInstantReport } from "./reports/read-instant-report.ts";
import { readTaskReport } from "./reports/read-task-report.ts";
import { addRule } from "./rules/add-rule.ts";
import { createRuleSet } from "./rules/create-rule-set.ts";
import { deleteRule } from "./rules/delete-rule.ts";
import { deleteRuleSet } from "./rules/delete-rule-set.ts";
import { exportRuleSet } from "./rules/export-rule-set.ts";
import { importRuleSet } from "./rules/import-rule-set.ts";
import { listRuleSets } from "./rules/list-rule-sets.ts";
import { readRuleSet } from "./rules/read-rule-set.ts";
import { toggleRule } from "./rules/toggle-rule.ts";
import { updateRule } from "./rules/update-rule.ts";
import { updateRuleSet } from "./rules/update-rule-set.ts";
import { closeRun } from "./runs/close-run.ts";
import { exportRun } from "./runs/export-run.ts";
import { listRunItems } from "./runs/list-run-items.ts";
import { listRuns } from "./runs/list-runs.ts";
import { readLatestParameters } from "./runs/read-latest-parameters.ts";
import { readRunDetails } from "./runs/read-run-details.ts";
import { updateRun } from "./runs/update-run.ts";
import { cancelTask } from "./scans/cancel-task.ts";
import { compareTasks } from "./scans/compare-tasks.ts";
import { listTasks } from "./scans/list-tasks.ts";
import { readCoverage } from "./scans/read-coverage.ts";
import { readTask } from "./scans/read-task.ts";
import { retryTask } from "./scans/retry-task.ts";
import { scanRepository } from "./scans/scan-repository.ts";
import { scanStoredZip } from "./scans/scan-stored-zip.ts";
import { scanUploadedZip } from "./scans/scan-uploaded-zip.ts";
import { beginZipUpload } from "./sources/begin-zip-upload.ts";
import { deleteZip } from "./sources/delete-zip.ts";
import { downloadZip } from "./sources/download-zip.ts";
import { finishZipUpload } from "./sources/finish-zip-upload.ts";
import { listBranches } from "./sources/list-branches.ts";
import { listProjectFiles } from "./sources/list-project-files.ts";
import { readZipInfo } from "./sources/read-zip-info.ts";
import { testProjectAccess } from "./sources/test-project-access.ts";
import { uploadZip } from "./sources/upload-zip.ts";
import { estimateScan } from "./spending/estimate-scan.ts";
import { readMySpending } from "./spending/read-my-spending.ts";
import { deleteSshKey } from "./ssh-keys/delete-ssh-key.ts";
import { forgetKnownHosts } from "./ssh-keys/forget-known-hosts.ts";
import { generateSshKeyPair } from "./ssh-keys/generate-ssh-key-pair.ts";
import { readSshKey } from "./ssh-keys/read-ssh-key.ts";
import { testSshKey } from "./ssh-keys/test-ssh-key.ts";
import { readDocs } from "./system/read-docs.ts";
import { readDocsViewer } from "./system/read-docs-viewer.ts";
import { readHealth } from "./system/read-health.ts";
import { readOpenapi } from "./system/read-openapi.ts";
import { readWelcome } from "./system/read-welcome.ts";
import { createToken } from "./tokens/create-token.ts";
import { deleteToken } from "./tokens/delete-token.ts";
import { listTokens } from "./tokens/list-tokens.ts";
import { createUser } from "./users/create-user.ts";
import { deleteUser } from "./users/delete-user.ts";
import { listUsers } from "./users/list-users.ts";
import { readMe } from "./users/read-me.ts";
import { readUser } from "./users/read-user.ts";
import { toggleUserStatus } from "./users/toggle-user-status.ts";
import { updateMe } from "./users/update-me.ts";
import { updateUser } from "./users/update-user.ts";

/** Every REST operation, by area. The file of `area.verbNoun` is functions/area/verb-noun.ts. */
export const operations = {
  auth: { login, register, readJwks },
  users: { readMe, updateMe, listUsers, createUser, readUser, updateUser, deleteUser, toggleUserStatus },
  tokens: { createToken, listTokens, deleteToken },
  config: { readConfigDefaults, readMyConfig, updateMyConfig, deleteMyConfig },
  llm: { listLlmProviders, testLlm },
  embedding: {
    listEmbeddingProviders,
    readEmbeddingConfig,
    updateEmbeddingConfig,
    listEmbeddingModels,
    testEmbedding,
  },
  projects: {
    createProject,
    listProjects,
    listDeletedProjects,
    readProjectStats,
    readProject,
    updateProject,
    deleteProject,
    restoreProject,
    deleteProjectPermanently,
  },
  members: { listMembers, addMember, changeMember, removeMember },
  sources: {
    uploadZip,
    beginZipUpload,
    finishZipUpload,
    readZipInfo,
    downloadZip,
    deleteZip,
    listProjectFiles,
    listBranches,
    testProjectAccess,
  },
  scans: {
    scanRepository,
    scanStoredZip,
    scanUploadedZip,
    listTasks,
    readTask,
    cancelTask,
    retryTask,
    readCoverage,
    compareTasks,
  },
  instant: { analyseCode, listInstantAnalyses, deleteInstantAnalysis, clearInstantAnalyses },
  issues: { listIssues, readIssue, triageIssue },
  reports: { readTaskReport, readInstantReport },
  spending: { readMySpending, estimateScan },
  prompts: {
    listPromptTemplates,
    createPromptTemplate,
    testPromptTemplate,
    readPromptTemplate,
    updatePromptTemplate,
    deletePromptTemplate,
    setDefaultPromptTemplate,
  },
  rules: {
    listRuleSets,
    createRuleSet,
    importRuleSet,
    readRuleSet,
    updateRuleSet,
    deleteRuleSet,
    exportRuleSet,
    addRule,
    updateRule,
    deleteRule,
    toggleRule,
  },
  runs: { listRuns, readRunDetails, updateRun, listRunItems, readLatestParameters, closeRun, exportRun },
  "audit-log": { listAuditEntries },
  "ssh-keys": { generateSshKeyPair, readSshKey, deleteSshKey, testSshKey, forgetKnownHosts },
  database: {
    exportDatabase,
    importDatabase,
    clearDatabase,
    readDatabaseStats,
    readDatabaseHealth,
    listMigrations,
  },
  system: { readHealth, readWelcome, readOpenapi, readDocs, readDocsViewer },
} as const satisfies Record<string, Record<string, Operation>>;

/** An operation with its names. */
export interface ListedOperation {
  /** The operationId. */
  readonly name: string;
  readonly area: string;
  /** Name of its Lambda entry and source file. */
  readonly file: string;
  readonly operation: Operation;
}

/** The table as a list, in the order written above. */
export const operationList: readonly ListedOperation[] = Object.entries(operations).flatMap(([area, listed]) =>
  Object.entries(listed).map(([name, operation]) => ({ name, area, file: kebab(name), operation })),
);

export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
