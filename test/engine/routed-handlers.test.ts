// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is analysed has templates
import { beforeAll, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const controller = `const { exec } = require("child_process");
const { pack } = require("../services/packing");
exports.add = async (req, res) => {
  exec("pack count " + req.body.count);
  exec("pack title " + req.body.title);
  exec("pack other " + req.body.other);
  const { code } = req.body;
  exec("pack code " + code);
  pack(req.body);
};
`;

const service = `const { exec } = require("child_process");
exports.pack = (parcel) => {
  exec("store count " + parcel.count);
  exec("store title " + parcel.title);
};
`;

const routes = (...before: string[]): string => `const { Router } = require("express");
const z = require("zod");
const { celebrate, Joi, Segments } = require("celebrate");
const { body } = require("express-validator");
const { validate } = require("../middleware/validate");
const schemas = require("../schemas/parcels");
const parcels = require("../controllers/parcels");
const router = Router();
${before.map((front, i) => `router.post("/${i}", ${front === "" ? "" : `${front}, `}parcels.add);`).join("\n")}
module.exports = router;
`;

const validator = (look: string): string => `const Joi = require("joi");
const pick = require("lodash/pick");
const { plainToInstance } = require("class-transformer");
exports.validate = (schema, part = "body") => async (req, res, next) => {
  ${look}
  next();
};
`;

const zod = `const z = require("zod");
exports.parcel = z.object({ count: z.number(), title: z.string(), code: z.string().regex(/^[A-Z]+$/) });
exports.asParts = z.object({ body: exports.parcel });
`;
const joi = `const Joi = require("joi");
const parcel = Joi.object().keys({ count: Joi.number(), title: Joi.string(), code: Joi.string().valid("a", "b") });
module.exports = { parcel, asParts: { body: parcel } };
`;
const chains = `const { body } = require("express-validator");
exports.rules = [body("count").isInt(), body("title").trim(), body("code").matches(/^[A-Z]+$/)];
exports.rulesOf = () => [body("count").isInt(), body(["title"]).isString(), body("code").isIn(["a"])];
exports.look = async (req, res, next) => next();
`;
const dto = `import { IsInt, IsString, Matches } from "class-validator";
export class Parcel {
  @IsInt() count: number;
  @IsString() title: string;
  @Matches(/^[A-Z]+$/) code: string;
}
`;
const own = `const z = require("zod");
const parcel = z.object({ count: z.number(), title: z.string(), code: z.enum(["a", "b"]) });
exports.checkParcel = (req, res, next) => {
  const { success } = parcel.safeParse(req.body);
  if (!success) return res.status(400).end();
  next();
};
`;

const elsewhere = `const { parcel } = require("./joi-schemas");
exports.checkParcel = (req, res, next) => {
  const { error } = parcel.validate(req.body);
  if (error) return res.status(400).end();
  next();
};
`;

const named = ["title", "other", "store title"];
const all = ["count", "title", "other", "code", "store count", "store title"];

it.each<[form: string, schemas: string, look: string, before: string[], found: string[]]>([
  ["nothing", zod, "", [""], all],
  ["a schema that is asked to parse the body", zod, "schema.parse(req.body);", ["validate(schemas.parcel)"], named],
  [
    "one whose answer is asked",
    zod,
    "if (!schema.safeParse(req.body).success) return;",
    ["validate(schemas.parcel)"],
    named,
  ],
  [
    "one of parts",
    zod,
    "await schema.parseAsync({ body: req.body, query: req.query });",
    ["validate(schemas.asParts)"],
    named,
  ],
  [
    "one for the part that the call names",
    zod,
    "req[part] = schema.parse(req[part]);",
    ["validate(schemas.parcel, 'body')"],
    named,
  ],
  ["one for another part", zod, "req[part] = schema.parse(req[part]);", ["validate(schemas.parcel, 'query')"], all],
  [
    "a map of schemas of parts",
    joi,
    `const object = pick(req, Object.keys(schema));
  const { error } = Joi.compile(schema).prefs({ abortEarly: false }).validate(object);
  if (error) return next(error);`,
    ["validate(schemas.asParts)"],
    named,
  ],
  ["a function that does not look", zod, "res.locals.schema = schema;", ["validate(schemas.parcel)"], all],
  ["a schema on one of two routes", zod, "schema.parse(req.body);", ["validate(schemas.parcel)", ""], all],
  [
    "schemas on both routes",
    zod,
    "schema.parse(req.body);",
    ["validate(schemas.parcel)", "[validate(schemas.parcel)]"],
    named,
  ],
  [
    "a schema that is made on the spot",
    zod,
    "schema.parse(req.body);",
    ["validate(z.object({ count: z.number() }))"],
    [...named, "code"],
  ],
  ["celebrate", joi, "", ["celebrate(schemas.asParts)"], named],
  [
    "celebrate on the spot",
    joi,
    "",
    ["celebrate({ [Segments.BODY]: Joi.object({ count: Joi.number() }) })"],
    [...named, "code"],
  ],
  ["chains", chains, "", ["schemas.rules, schemas.look"], named],
  ["chains that a function gives", chains, "", ["schemas.rulesOf(), schemas.look"], named],
  ["chains on the spot", chains, "", ["[body('count').isInt(), body('code').isInt()], schemas.look"], named],
  ["a class with decorators", dto, "plainToInstance(schema, req[part]);", ["validate(schemas.Parcel)"], named],
  ["a function with a schema of its own", own, "", ["schemas.checkParcel"], named],
  ["a function with a schema of another file", elsewhere, "", ["schemas.checkParcel"], named],
])("knows what comes through %s in front of a handler of another file", async (_, schemas, look, before, found) => {
  const findings = await findingsOfAll(engine, [
    { path: "src/controllers/parcels.js", source: controller },
    { path: "src/services/packing.js", source: service },
    { path: "src/routes/parcels.js", source: routes(...before) },
    { path: "src/middleware/validate.js", source: validator(look) },
    { path: "src/schemas/joi-schemas.js", source: joi },
    { path: `src/schemas/parcels.${schemas === dto ? "ts" : "js"}`, source: schemas },
  ]);
  const commands = findings.filter(({ ruleId }) => ruleId === "command-injection.tainted-command");
  const told = commands.map(({ snippet }) => (snippet.match(/"(.*) "/)?.[1] ?? "").replace("pack ", ""));
  expect(told.sort()).toEqual([...found].sort());
});

it("finds the handler where the files of a folder hand on all of each other", async () => {
  const names = Array.from({ length: 80 }, (_, i) => `part${i}`);
  const all = [...names, "parcels"].map((name) => `export * from "./${name}";\n`).join("");
  const findings = await findingsOfAll(engine, [
    ...["index", ...names].map((name) => ({ path: `src/parts/${name}.ts`, source: all })),
    {
      path: "src/parts/parcels.ts",
      source:
        'import { exec } from "child_process";\nexport const add = (req, res) => {\n  exec("pack " + req.body.count);\n  exec("pack " + req.body.title);\n};\n',
    },
    {
      path: "src/schemas.ts",
      source: 'import z from "zod";\nexport const parcel = z.object({ count: z.number(), title: z.string() });\n',
    },
    {
      path: "src/routes.ts",
      source:
        'import { Router } from "express";\nimport { add } from "./parts";\nimport { parcel } from "./schemas";\nimport { validate } from "express-zod-check";\nconst router = Router();\nrouter.post("/", validate(parcel), add);\nexport default router;\n',
    },
  ]);
  const found = findings.filter(({ ruleId }) => ruleId === "command-injection.tainted-command");
  expect(found.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(["src/parts/parcels.ts:4"]);
});
