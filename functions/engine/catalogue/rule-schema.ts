import * as z from "zod";
import { ConfigQuery } from "../config/config-query.ts";
import { issueTypes, severities, vulnerabilityTypes } from "../finding.ts";
import { StructureQuery } from "../structure/structure-schema.ts";
import { ControlBody } from "../web/web-schema.ts";
import { languages } from "./languages.ts";
import { Pattern, Share, Sink, Slug } from "./statement-schema.ts";

/** A text of a rule in the languages of the product. */
export const Bilingual = z.strictObject({ zh: z.string().min(2), en: z.string().min(2) });
export type Bilingual = z.infer<typeof Bilingual>;

/** A class of problems, see rules/families.yaml; what cleans a value does so for whole families. */
export const Family = z.strictObject({
  type: z.enum(vulnerabilityTypes),
  owasp2021: z
    .string()
    .regex(/^A\d\d$/)
    .nullable(),
  owasp2025: z
    .string()
    .regex(/^A\d\d$/)
    .nullable(),
  /** Text that begins like this is not a finding: the part that matters is fixed. */
  safePrefix: z.string().optional(),
});
export type Family = z.infer<typeof Family>;

const Keywords = z.array(z.string().regex(/^[^A-Z]+$/));

/** A token of one service, see rules/hardcoded-secret/provider-token/providers.yaml. */
export const SecretProvider = z
  .strictObject({
    id: Slug,
    provider: z.string().min(1),
    token: z.string().optional(),
    named: z.string().optional(),
    value: z.string().optional(),
    keywords: Keywords.min(1),
    leads: z.boolean().default(false),
    entropy: z.number().min(0).max(6).default(0),
    allow: z.array(z.string()).default([]),
    severity: z.enum(severities).optional(),
  })
  .refine(({ token, named, value }) => (token === undefined) === (named !== undefined && value !== undefined), {
    message: "token, or named and value",
  });
export type SecretProvider = z.infer<typeof SecretProvider>;

/** The shape of rules/<topic>/<rule>/rule.yaml. */
export const Rule = z
  .strictObject({
    id: Slug,
    version: z.number().int().min(1),
    title: Bilingual,
    message: Bilingual,
    fix: Bilingual,
    severity: z.enum(severities),
    confidence: Share,
    /** Only the first place in a function is told: for what is many times the same small thing. */
    oncePerFunction: z.boolean().default(false),
    /** Of a value from another file only the first place in a function is told: for what is put right by looking at the value. */
    oncePerValue: z.boolean().default(false),
    /** How bad it is where only administrators can send what it is about. */
    byAdministrators: z.enum(severities).optional(),
    issueType: z.enum(issueTypes).default("security"),
    /** The rule of the seeded sets that switches it on; without one it is always on. */
    code: z
      .string()
      .regex(/^[A-Z]{2,6}\d{3}$/)
      .optional(),
    /** What other linters call the same thing: who has told them that it is meant is not asked again. */
    linters: z.array(z.string()).min(1).optional(),
    /** What a good part of the files of a language does is how the project does it, and told nowhere. */
    convention: z.literal(true).optional(),
    /** Empty for rules that read any text. */
    languages: z.array(z.enum(languages)).default([]),
    family: Slug,
    cwe: z.array(z.number().int().positive()).min(1),
    references: z.array(z.url()).default([]),
    taint: z
      .strictObject({
        /** Source kinds or groups of them. */
        sources: z.array(Slug).min(1),
        sinks: z.array(Sink.omit({ family: true })).default([]),
        /** The sinks that models have for the family do not count for this rule. */
        ownSinks: z.boolean().default(false),
        /** Outputs of templates that are sinks: what is not escaped, places where escaping for HTML does not help, expressions that are evaluated, and fields of records. */
        templates: z.array(z.enum(["raw", "place", "expression", "record"])).optional(),
      })
      .optional(),
    patterns: z.array(Pattern).min(1).optional(),
    /** Of patterns: not where this fact is settled. */
    unlessFact: Slug.optional(),
    /** Questions about the shape of code; with `patterns`, which ask about calls, or alone. */
    structure: z.array(StructureQuery).min(1).optional(),
    secret: z
      .strictObject({
        /** Absent where the rule has providers instead. `{name}` stands for a name that ends in one of `names`. */
        regex: z.string().optional(),
        names: z.array(z.string()).default([]),
        /** Lower case; at least one must occur near by before the regular expression runs. */
        keywords: Keywords.default([]),
        /** The group that holds the secret; where that is empty, the last one does. */
        group: z.number().int().min(0).default(0),
        /** Bits per character that the value must reach. */
        entropy: z.number().min(0).max(6).default(0),
        allow: z.array(z.string()).default([]),
        /** Finds by what a value is called, not by its form: less sure in tests and documentation. */
        generic: z.boolean().default(false),
        /** Tests bring one of their own, as a rule: the key of a server that only the test starts. */
        madeForTests: z.literal(true).optional(),
        /** What everybody tries first: too plain for entropy to tell, so something of `near` must stand around it. */
        common: z.strictObject({ values: z.array(z.string()).min(1), near: z.string() }).optional(),
        /** Read from providers.yaml in the folder of the rule. */
        providers: z.array(SecretProvider).default([]),
      })
      .refine(
        ({ regex, keywords, providers }) =>
          (regex === undefined) === providers.length > 0 && (regex === undefined) === (keywords.length === 0),
        { message: "regex and keywords, or providers.yaml" },
      )
      .optional(),
    /** Routes that lack something; asked when all files are known. */
    control: ControlBody.optional(),
    /** Questions to configuration files. */
    config: z.array(ConfigQuery).min(1).optional(),
    /** What is written for people, in comments and texts of any file; one line at a time. */
    text: z
      .strictObject({
        regexes: z.array(z.string()).min(1),
        /** Lower case; a line must have one of them before the regular expressions run. */
        keywords: z.array(z.string().regex(/^[^A-Z]+$/)).min(1),
      })
      .optional(),
  })
  .refine(
    (rule) =>
      [rule.taint, rule.patterns ?? rule.structure, rule.secret, rule.control, rule.config, rule.text].filter(Boolean)
        .length === 1,
    {
      message: "a rule has exactly one of taint, patterns and structure, secret, control, config, text",
    },
  )
  .refine((rule) => rule.code !== undefined || !(rule.structure || rule.patterns?.some(({ within }) => within)), {
    message: "what looks at the shape of code is asked for by a code",
  });
export type Rule = z.infer<typeof Rule>;
