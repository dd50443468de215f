import * as z from "zod";
import { says } from "../platform/contract.ts";

/** What is kept encrypted and shown masked. A field is a secret by having this very schema; there is no second list to forget. */
const Secret = z.string().max(10_000).nullish();

const text = (max: number) => z.string().max(max).nullish();
const count = (min: number, max: number) => z.number().int().min(min).max(max).nullish();

/** Names are camelCase as existing front ends send them; null means "not said", as there. */
export const LlmSettings = z.object({
  llmProvider: text(50),
  llmApiKey: Secret,
  llmModel: text(200),
  llmBaseUrl: text(2000),
  /** Milliseconds. */
  llmTimeout: count(1000, 900_000),
  llmTemperature: z.number().min(0).max(2).nullish(),
  llmMaxTokens: count(1, 1_000_000),
  llmCustomHeaders: text(10_000),
  /** US dollars for a million tokens, for models whose price the catalogue does not know or has wrong. */
  llmInputPrice: z.number().min(0).max(100_000).nullish(),
  llmOutputPrice: z.number().min(0).max(100_000).nullish(),
  geminiApiKey: Secret,
  openaiApiKey: Secret,
  claudeApiKey: Secret,
  qwenApiKey: Secret,
  deepseekApiKey: Secret,
  zhipuApiKey: Secret,
  moonshotApiKey: Secret,
  baiduApiKey: Secret,
  minimaxApiKey: Secret,
  doubaoApiKey: Secret,
  ollamaBaseUrl: text(2000),
});

/** Where a provider is; the token beside it goes to this origin and to no other. */
const HostUrl = z
  .string()
  .trim()
  .max(2000)
  .refine((url) => url === "" || originOf(url) !== null, {
    ...says("应为形如 https://git.example.com 的地址", "expected an address such as https://git.example.com"),
  })
  .nullish();

/** How code becomes vectors for semantic search. Names are in snake_case here, as front ends send them. */
export const EmbeddingSettings = z.object({
  provider: text(50),
  model: text(200),
  api_key: Secret,
  base_url: text(2000),
  dimensions: count(1, 16_384),
  /** Texts in one request. */
  batch_size: count(1, 2048),
});

export const OtherSettings = z.object({
  githubToken: Secret,
  gitlabToken: Secret,
  giteaToken: Secret,
  githubBaseUrl: HostUrl,
  gitlabBaseUrl: HostUrl,
  giteaBaseUrl: HostUrl,
  /** 0 means no limit. */
  maxAnalyzeFiles: count(0, 1_000_000),
  llmConcurrency: count(1, 100),
  /** Milliseconds. */
  llmGapMs: count(0, 600_000),
  outputLanguage: z.enum(["zh-CN", "en-US"]).nullish(),
  /** Most that one scan, and all of a calendar month (UTC), may spend on models. 0 means no limit. */
  scanTokenCap: count(0, 1_000_000_000_000),
  scanCostCap: z.number().min(0).max(1_000_000).nullish(),
  monthTokenCap: count(0, 1_000_000_000_000),
  monthCostCap: z.number().min(0).max(1_000_000).nullish(),
  embedding_config: EmbeddingSettings.nullish(),
});

export const Settings = z.object({ llmConfig: LlmSettings, otherConfig: OtherSettings });
export type Settings = z.output<typeof Settings>;
export type Group = keyof Settings;
/** By name; the fields of a field have names such as "embedding_config.model". */
export type Values = Record<string, string | number>;

/** A user's settings as stored: only what the user said, secrets in their encrypted form. */
export const UserConfig = Settings.extend({
  userId: z.uuid(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().nullable(),
  version: z.number().int(),
});
export type UserConfig = z.output<typeof UserConfig>;

export const groups = Object.keys(Settings.shape) as Group[];

const secretNames = new Set(
  [
    ...groups.flatMap((group) => Object.entries(Settings.shape[group].shape)),
    ...Object.entries(EmbeddingSettings.shape).map(([name, schema]) => [`embedding_config.${name}`, schema] as const),
  ].flatMap(([name, schema]) => (schema === Secret ? [name] : [])),
);

export const isSecretField = (name: string): boolean => secretNames.has(name);

/** What counts where a user has said nothing. Secrets are empty, so that every answer has all fields. */
export const defaultSettings = {
  llmConfig: {
    ...emptySecrets("llmConfig"),
    llmProvider: "openai",
    llmModel: "",
    llmBaseUrl: "",
    llmTimeout: 150_000,
    llmTemperature: 0.1,
    llmMaxTokens: 4096,
    llmCustomHeaders: "",
    ollamaBaseUrl: "http://localhost:11434/v1",
  },
  otherConfig: {
    ...emptySecrets("otherConfig"),
    githubBaseUrl: "https://github.com",
    gitlabBaseUrl: "https://gitlab.com",
    giteaBaseUrl: "https://gitea.com",
    maxAnalyzeFiles: 0,
    llmConcurrency: 3,
    llmGapMs: 2000,
    outputLanguage: "zh-CN",
    /** About 5,000 files of ordinary size: nobody who said nothing wakes up to a bill. */
    scanTokenCap: 20_000_000,
    scanCostCap: 0,
    monthTokenCap: 0,
    monthCostCap: 0,
  },
} as const satisfies Settings;

function emptySecrets(group: Group): Record<string, ""> {
  const names = Object.keys(Settings.shape[group].shape);
  return Object.fromEntries(names.filter(isSecretField).map((name) => [name, ""]));
}

/** The token of each kind of host, and the setting that says where that host is. */
export const hostTokens = {
  github: { token: "githubToken", url: "githubBaseUrl" },
  gitlab: { token: "gitlabToken", url: "gitlabBaseUrl" },
  gitea: { token: "giteaToken", url: "giteaBaseUrl" },
} as const;
export type HostType = keyof typeof hostTokens;

/** Where the user's token of a kind of host belongs. */
export function hostOrigin(config: UserConfig | null, type: HostType): string {
  const { url } = hostTokens[type];
  return originOf(config?.otherConfig[url] || defaultSettings.otherConfig[url]) as string;
}

/** What settings say, without what they do not: null and undefined mean the same. */
export function said(settings: object, prefix = ""): Values {
  const entries = Object.entries(settings).flatMap(([name, value]): [string, string | number][] => {
    if (value === null || value === undefined) return [];
    return typeof value === "object" ? Object.entries(said(value, `${name}.`)) : [[prefix + name, value]];
  });
  return Object.fromEntries(entries);
}

/** The settings that say this; the other way round than `said`. */
export function saying(values: Values): object {
  const settings: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const [name, inner] = path.split(".") as [string, string?];
    settings[name] = inner === undefined ? value : { ...(settings[name] as object), [inner]: value };
  }
  return settings;
}

/**
 * Takes the tokens away whose host is another one now. A token was entered for one host; whoever gets hold of a session could otherwise
 * point the address at a host of their own and have the token sent there, though the API never shows it.
 * @param entered names of the secrets that came with this very change, for the new host
 */
export function withoutMovedTokens(
  before: UserConfig | null,
  after: UserConfig,
  entered: ReadonlySet<string>,
): UserConfig {
  const otherConfig = { ...after.otherConfig };
  for (const [type, { token }] of Object.entries(hostTokens)) {
    const moved = hostOrigin(before, type as HostType) !== hostOrigin(after, type as HostType);
    if (moved && !entered.has(token)) delete otherConfig[token];
  }
  return { ...after, otherConfig };
}

function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}
