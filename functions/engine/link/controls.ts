import { RE2JS } from "re2js";
import type { Candidate, FileArtefact } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import type { TraceStep } from "../finding.ts";
import type { WebPlace } from "../web/web-record.ts";
import type { ControlBody } from "../web/web-schema.ts";
import type { PlacedCandidate } from "./link.ts";
import type { Modules } from "./modules.ts";
import { type Route, WebRoutes, worldOf } from "./web-routes.ts";

/** More gaps than this, and more than have the control, are one finding: somebody decided so, or something else protects them. */
const singleMax = 8;
const listedMax = 19;
const sinkMax = 60;
/** Without the control anywhere it may be elsewhere, in front of the application. */
const nowhereFactor = 0.35;
const elsewhereFactor = 0.75;
/** A handler of all methods may do nothing but show a page. */
const anyMethodFactor = 0.8;

/** The routes that lack what rules ask for, judged by the whole application. */
export function missingControls(
  catalogue: Catalogue,
  artefacts: readonly FileArtefact[],
  modules: Modules,
): PlacedCandidate[] {
  if (!artefacts.some(({ link }) => link.web && link.web.routes.length > 0)) return [];
  const { all } = new WebRoutes(artefacts, modules);
  const owned = new Set(artefacts.flatMap(({ link }) => link.web?.owned ?? []));
  return catalogue.controlRules.flatMap((rule) =>
    [...new Set(all.map(languageOfRoute))].flatMap((language) => {
      const routes = all.filter((route) => languageOfRoute(route) === language);
      const isMeant = rule.languages.some((name) => worldOf(name) === language);
      return rule.control && isMeant ? gaps(rule, rule.control, routes, owned) : [];
    }),
  );
}

const languageOfRoute = ({ artefact }: Route): string => worldOf(artefact.coverage.language);

function gaps(rule: Rule, body: ControlBody, routes: readonly Route[], owned: ReadonlySet<string>): PlacedCandidate[] {
  const meant = tester(body);
  const has = (route: Route) => route.controls.has(body.requires);
  const controlled = routes.filter(has);
  const elsewhere = new Map(controlled.map((route) => [nameOfAdapted(route), route.artefact]));
  const isAdapted = (route: Route): boolean => {
    const other = elsewhere.get(nameOfAdapted(route));
    return other !== undefined && other !== route.artefact && isDeep(route);
  };
  const lacks = (route: Route): boolean => !has(route) && !route.unknown && meant(route) && !isAdapted(route);
  const missing = oncePerHandler(routes.filter(lacks));
  const [first] = missing;
  if (!first) return [];
  if (body.scope === "place") return atPlaces(rule, body, missing, owned);
  if (body.scope === "application") return controlled.length > 0 ? [] : [ofApplication(rule, first, missing)];
  if (body.alone && missing.length <= listedMax) return missing.map((route) => ownGap(rule, route));
  const isElsewhere = body.elsewhere !== undefined && first.controls.has(body.elsewhere);
  const isUsual = missing.length > singleMax && missing.length > controlled.length;
  const one = controlled.length === 0 || isUsual || isElsewhere;
  if (one) return [collective(rule, first, missing, controlled.length)];
  return missing.map((route) => {
    // What is meant alike shows best how it should be.
    const alike = controlled.filter(meant);
    const sibling = nearest(route, alike.length > 0 ? alike : controlled);
    const near = sibling.artefact === route.artefact ? 1 : elsewhereFactor;
    const certain = route.record.methods.includes("ANY") ? anyMethodFactor : 1;
    return placed(rule, route, rule.confidence * near * certain, label(sibling), [
      step(sibling, "step"),
      step(route, "sink"),
    ]);
  });
}

/** What nobody but the handler could have done. */
const ownGap = (rule: Rule, route: Route): PlacedCandidate =>
  placed(rule, route, rule.confidence, "–", [step(route, "sink")]);

/**
 * A package for several frameworks registers the same routes in a file for each, and the application that mounts one of them puts its
 * own control in front where the framework wants it there.
 */
const nameOfAdapted = ({ record: { methods }, wholePath }: Route): string =>
  `${methods.join("|")} ${(wholePath ?? "").replace(/\{(\w+)\}/g, ":$1")}`;

/** Routers that are mounted out of sight all have a `/` and a `/:id`. */
const isDeep = ({ wholePath }: Route): boolean => (wholePath?.match(/\/[a-z]/gi)?.length ?? 0) > 1;

/** A handler may have many paths; it lacks the control once. */
function oncePerHandler(routes: readonly Route[]): Route[] {
  const handlers = new Set<string>();
  return routes.filter(({ artefact, record }) => {
    const key = `${artefact.coverage.path}\0${record.handler}`;
    return !handlers.has(key) && handlers.add(key);
  });
}

/** One finding for all routes that lack it. */
function ofApplication(rule: Rule, first: Route, missing: readonly Route[]): PlacedCandidate {
  const steps = missing.slice(0, listedMax).map((route) => step(route, "step"));
  const found = placed(rule, first, rule.confidence, "–", steps);
  const others = missing.length > 1 ? ` (+${missing.length - 1})` : "";
  return { ...found, candidate: { ...found.candidate, sink: `${label(first)}${others}` } };
}

function collective(rule: Rule, first: Route, missing: readonly Route[], controlled: number): PlacedCandidate {
  const unsure = { ...rule, confidence: rule.confidence * nowhereFactor };
  const found = ofApplication(unsure, first, missing);
  const source = controlled === 0 ? "–" : String(controlled);
  return { ...found, candidate: { ...found.candidate, severity: "low", source } };
}

/** What handlers do without the control, where they do it: the same place may be on the way of many routes. */
function atPlaces(
  rule: Rule,
  body: ControlBody,
  routes: readonly Route[],
  owned: ReadonlySet<string>,
): PlacedCandidate[] {
  const wanted = body.records === undefined ? null : RE2JS.compile(body.records);
  const isMeant = ({ effect, record }: WebPlace): boolean => {
    if (!body.effects.includes(effect)) return false;
    if (body.owned && !(record !== undefined && owned.has(record))) return false;
    return !wanted || (record !== undefined && wanted.test(record));
  };
  const found = new Map<string, PlacedCandidate>();
  const done = new Set<string>();
  for (const route of routes)
    for (const { artefact, place } of route.places) {
      const key = `${artefact.coverage.path}\0${place.startLine}\0${place.startColumn}`;
      if (!isMeant(place) || found.has(key)) continue;
      const at = { artefact, record: place };
      const trace = [step(route, "source"), step(at, "sink")];
      // What is not about records is done once in a handler, in however many statements.
      const first = `${route.artefact.coverage.path}\0${route.record.order}`;
      if (!body.owned && done.has(first)) continue;
      done.add(first);
      found.set(key, placed(rule, at, rule.confidence, label(route), trace));
    }
  return [...found.values()];
}

function tester(body: ControlBody): (route: Route) => boolean {
  const { effects, methods, matches, notMatches } = body;
  const wanted = matches === undefined ? null : RE2JS.compile(matches);
  const unwanted = notMatches === undefined ? null : RE2JS.compile(notMatches);
  return ({ artefact, record, controls, effects: done, wholePath }) => {
    const told = (fact: string) => controls.has(fact) || done.has(fact);
    if (!body.with.every(told) || body.without.some(told)) return false;
    if (!effects.some((effect) => effect === "any" || done.has(effect))) return false;
    if (!record.methods.some((method) => methods.includes(method))) return false;
    const name = `${record.methods.join(" ")} ${wholePath ?? ""} ${record.handler}`;
    if (wanted && !wanted.test(name)) return false;
    return !unwanted?.test(`${name} ${artefact.coverage.path.slice(artefact.coverage.path.lastIndexOf("/") + 1)}`);
  };
}

/** A route that has the control: of the same file if there is one, else the one whose file has most folders in common. */
function nearest(route: Route, controlled: readonly Route[]): Route {
  const shared = (other: Route): number => {
    const [a, b] = [route.artefact.coverage.path, other.artefact.coverage.path].map((path) => path.split("/"));
    let same = 0;
    while (same < (a?.length ?? 0) && a?.[same] === b?.[same]) same++;
    return same;
  };
  return controlled.reduce((best, other) => (shared(other) > shared(best) ? other : best));
}

/** Placeholders are written alike, whatever the framework. */
const label = ({ record: { methods, path, handler } }: Pick<Route, "record">): string =>
  `${methods.join("|")} ${(path ?? handler).replace(/\{(\w+)\}/g, ":$1")}`.slice(0, 100);

/** A route, or a place in a handler. */
interface At {
  artefact: FileArtefact;
  record: WebPlace | Route["record"];
}

const codeOf = ({ snippet }: At["record"]): string => (snippet.split("\n", 1)[0] ?? "").trim().slice(0, 120);

/** A route by what it answers to, anything else by how it is written. */
const nameOf = (record: At["record"]): string =>
  "methods" in record ? label({ record }) : codeOf(record).slice(0, sinkMax);

const step = ({ artefact, record }: At, role: TraceStep["role"]): TraceStep => ({
  path: artefact.coverage.path,
  startLine: record.startLine,
  startColumn: record.startColumn,
  endLine: record.endLine,
  endColumn: record.endColumn,
  code: codeOf(record),
  role,
});

function placed(
  rule: Rule,
  { artefact, record }: At,
  confidence: number,
  source: string,
  trace: TraceStep[],
  sink: string = nameOf(record),
): PlacedCandidate {
  const reason = record.suppressed[rule.id];
  const candidate: Candidate = {
    startLine: record.startLine,
    startColumn: record.startColumn,
    endLine: record.endLine,
    endColumn: record.endColumn,
    ruleId: rule.id,
    severity: rule.severity,
    confidence: Math.round(confidence * 100) / 100,
    source,
    sink,
    symbol: record.symbol,
    anchor: record.anchor,
    snippet: record.snippet,
    trace: [],
    suppressed: reason === undefined ? null : { reason },
  };
  return { path: artefact.coverage.path, candidate, trace };
}
