import type { ExportedFunction, FileArtefact } from "../artefact.ts";
import { lastSegment } from "../catalogue/paths.ts";
import { ofCarrier } from "../interpret/calls/carried-objects.ts";
import { anyClass, chosenMember, layerName, ofBase, ofHeirs } from "../interpret/calls/handover.ts";
import { inRegistry } from "../interpret/calls/registries.ts";
import { either } from "../interpret/guards/passage.ts";
import { announcedAs } from "../interpret/objects/announced.ts";
import { languageOf } from "../inventory/language.ts";
import { append } from "../multimap.ts";
import { helperIn, helperTarget, isHelper } from "../templates/template-target.ts";
import { type Aliases, aliased, declaresClass, givesSeveral, hasKept, ofMade } from "./aliases.ts";
import { CarriedObjects } from "./carried-objects.ts";
import { chosenMembers } from "./chosen-members.ts";
import { GlobalNames } from "./global-names.ts";
import { heirsOf } from "./heirs.ts";
import { Kin } from "./kin.ts";
import { Layers } from "./layers.ts";
import { byCodeUnits } from "./order.ts";
import { Packages } from "./packages.ts";
import { Registries } from "./registries.ts";
import { SourceFiles } from "./source-files.ts";
import { Templates } from "./templates.ts";
import { Wirings } from "./wirings.ts";

/** A function found in another file. */
export interface Target {
  artefact: FileArtefact;
  exported: ExportedFunction;
  /** The texts that stand beside it where it was put into a table, one of which may be its key. */
  under?: readonly string[];
}

/** Applications keep what their templates call in one file or a few. */
const helperFilesMax = 8;

/** Finds the functions that a path of an import can mean. */
export class Modules {
  /** Every family that some value can be clean for. */
  readonly families: string[];
  readonly #packages: Packages;
  readonly #globals: ReadonlyMap<string, GlobalNames>;
  readonly #templates: Templates;
  readonly #layers: Layers;
  readonly #carried: CarriedObjects;
  readonly #found = new Map<string, Target[]>();
  /** Aliases that were followed, and where the search for a name ends. */
  #steps = 0;
  #lastStep = 0;
  readonly #allSteps: number;
  readonly #led = new Map<string, Target[]>();
  readonly #handed = new Map<FileArtefact, Aliases>();
  readonly #files: SourceFiles;
  /** The files of JavaScript by what an object is called that one of them makes. */
  readonly #parts = new Map<string, FileArtefact[]>();
  /** What listens for objects of a class, by the target that they are announced to. */
  readonly #listeners = new Map<string, Target[]>();
  /** What templates may call, by the target that they name. */
  readonly #helpers = new Map<string, Target[]>();
  /** Where those lie that a file has taken from another: under the name of one, or of none where it has made all of a file known. */
  readonly #takenHelpers = new Map<string, { from: string; target: string }[]>();
  readonly #implementers = new Map<string, Target["artefact"][]>();
  /** Classes of Java and Kotlin that a database keeps, with a field that says what somebody may do. */
  readonly #stored = new Set<string>();
  /** The types of Rust. */
  readonly #types: GlobalNames;
  readonly #wirings: Wirings;
  readonly #registries: Registries;
  readonly #kin: Kin;

  /** @param artefacts in path order */
  constructor(artefacts: readonly FileArtefact[], families: string[]) {
    this.#allSteps = stepsFree + stepsOfFile * artefacts.length;
    this.families = families;
    this.#wirings = new Wirings(artefacts, (path, target, aliases) => this.#find(path, target, aliases));
    this.#registries = new Registries(artefacts, (path, target, aliases) => this.#find(path, target, aliases));
    this.#packages = new Packages(artefacts);
    this.#kin = new Kin(artefacts);
    this.#templates = new Templates(artefacts);
    this.#layers = new Layers(artefacts);
    this.#carried = new CarriedObjects(artefacts, (path, target, aliases) => this.#find(path, target, aliases));
    this.#globals = new Map(
      globalLanguages.map((name) => [
        name,
        new GlobalNames(
          name,
          artefacts.filter(({ coverage }) => coverage.language === name),
        ),
      ]),
    );
    this.#types = new GlobalNames(
      "rust",
      artefacts.filter(({ coverage }) => coverage.language === "rust"),
    );
    const ordered = [...artefacts].sort((a, b) => byCodeUnits(a.coverage.path, b.coverage.path));
    this.#files = new SourceFiles(ordered);
    for (const artefact of ordered) {
      for (const { event, name } of artefact.link.listens ?? []) {
        const heard = artefact.link.exports.filter((exported) => exported.name === name);
        for (const exported of heard) append(this.#listeners, announcedAs(event), { artefact, exported });
      }
      for (const exported of artefact.link.exports)
        if (isHelper(exported.name)) append(this.#helpers, exported.name, { artefact, exported });
      for (const { name, target } of artefact.link.aliases)
        if (isHelper(name)) append(this.#takenHelpers, name, { from: artefact.coverage.path, target });
      for (const name of partNames(artefact)) append(this.#parts, name, artefact);
      for (const base of new Set(artefact.link.classes.flatMap((entry) => entry.bases))) {
        append(this.#implementers, base, artefact);
      }
      if (ofJava.test(artefact.coverage.language))
        for (const { name, rights } of artefact.link.classes) if (rights) this.#stored.add(name);
    }
  }

  /** `target` is what the file at `from` calls, e.g. "./db.find"; the file's part ends at some dot. */
  find(from: string, target: string): Target[] {
    const asker =
      importsItsName(from, target) || isOfFile.test(target) ? from : from.slice(0, from.lastIndexOf("/") + 1);
    const key = `${asker}\0${target}`;
    const known = this.#found.get(key);
    if (known) return known;
    const found = isHelper(target)
      ? this.#helper(target)
      : target.startsWith("template:")
        ? this.#templates.find(from, target)
        : target.startsWith(announcedAs(""))
          ? (this.#listeners.get(target) ?? [])
          : this.#fromHere(from, target);
    this.#found.set(key, found);
    return found;
  }

  /**
   * All in other files that may be meant: where nobody knows the class of an object of PHP, every method that is called like the one that is
   * called. Objects of Ruby are known to linking only, so methods of a class may be those of the same file.
   */
  candidates(from: string, target: string): Target[] {
    const { name } = languageOf(from);
    const hasNames = name === "php" || name === "ruby";
    const isObject = hasNames && target.startsWith(anyClass);
    const declared = isObject ? [] : this.find(from, target);
    const found = declared.filter(
      ({ artefact }) => name === "ruby" || target.startsWith(ofCarrier) || artefact.coverage.path !== from,
    );
    return found.length > 0 || !hasNames || !target.includes(".")
      ? found
      : (this.#globals.get(name)?.methods(target) ?? []);
  }

  /** The file that a path of an import means, and what is named in it; without a name the file as a whole. */
  file(from: string, target: string): { artefact: FileArtefact; member: string } | null {
    return this.#files.meant(from, target).next().value ?? null;
  }

  /** The code at a path, whatever it ends in. */
  at(path: string): FileArtefact | undefined {
    return this.#files.at(path);
  }

  readonly #names = {
    file: (from: string, target: string) => this.file(from, target),
    onward: (artefact: FileArtefact, member: string) => this.onward(artefact, member),
    find: (from: string, target: string, aliases: number) => this.#onward(from, target, aliases),
  };

  /** Where the names that a file hands on lead. */
  onward(artefact: FileArtefact, member: string): string[] {
    return aliased(this.#handedOn(artefact), member);
  }

  /** The files of Go that may declare a type. */
  filesOfType(from: string, type: string): readonly FileArtefact[] {
    return this.#packages.filesOf(from, type);
  }

  /** The methods of an object of PHP, as far as all that are asked are written in the project: "Order.title+note". */
  methodsOf(from: string, target: string): Target[] {
    if (languageOf(from).name !== "php") return [];
    const dot = target.lastIndexOf(".") + 1;
    const found = target
      .slice(dot)
      .split(either)
      .map((name) => this.find(from, `${target.slice(0, dot)}${name}`));
    return found.every(({ length }) => length > 0) ? found.flat() : [];
  }

  /** The fields of an object of PHP, Ruby, Python or JavaScript by the classes that it may be one of: "Page.$html"; of a class of Java its own. */
  fieldsOfKin(from: string, field: string): string[] {
    const dot = field.indexOf(".");
    if (/\.(py|[cm]?[jt]sx?|vue|svelte)$/.test(from))
      return this.#kin.of(field.slice(0, dot)).map((type) => type + field.slice(dot));
    const kin = ["php", "ruby"].flatMap((language) => [
      ...(this.#globals.get(language)?.kin(field.slice(0, dot)) ?? []),
    ]);
    return [...new Set([field.slice(0, dot), ...kin])].map((type) => type + field.slice(dot));
  }

  /** What an application has made known to its templates; in Ruby, a method of any helper. */
  #helper(target: string): Target[] {
    const known = this.#helpers.get(target);
    if (known) return known;
    const taken = this.#takenHelpers.get(target) ?? [];
    const name = helperIn(target);
    const files = name === null ? [] : (this.#takenHelpers.get(helperTarget("")) ?? []).slice(0, helperFilesMax);
    const found = [
      ...taken.flatMap(({ from, target: of }) => this.find(from, of)),
      ...files.flatMap(({ from, target: of }) => this.find(from, `${of}.${name}`)),
    ];
    return found.length > 0 || name === null ? found : (this.#globals.get("ruby")?.helpers(name) ?? []);
  }

  /** Whether other files read what a class keeps in its fields: of one in Python or JavaScript those do that extend it. */
  hasReaders({ coverage, link }: FileArtefact, type: string): boolean {
    if (!/^(python|(java|type)script)$/.test(coverage.language)) return true;
    const [first, ...others] = this.#implementers.get(type) ?? [];
    return first !== undefined && (others.length > 0 || first.link !== link);
  }

  /** Whether a type of Go, C#, Java or Kotlin has a field that says what somebody may do. */
  hasRights(from: string, type: string): boolean {
    const { name } = languageOf(from);
    if (ofJava.test(name)) return this.#stored.has(lastSegment(type.replace(/^~/, "")));
    const globals = this.#globals.get(name);
    return globals ? globals.hasRights(type) : this.#packages.hasRights(from, type);
  }

  #fromHere(from: string, target: string): Target[] {
    this.#lastStep = Math.min(this.#steps + stepsMax, this.#allSteps);
    return this.#find(from, target, 0);
  }

  #find(from: string, target: string, aliases: number): Target[] {
    if (target.startsWith(inRegistry)) return this.#registries.of(from, target, aliases);
    if (from.endsWith(".go")) return this.#packages.find(from, target);
    const globals = this.#globals.get(languageOf(from).name);
    if (globals) return globals.find(target);
    if (target.startsWith(ofHeirs) && /\.(py|[cm]?[jt]sx?)$/.test(from))
      return heirsOf(this.#implementers, from, target);
    if (target.startsWith(ofCarrier)) return this.#carried.methods(target, aliases);
    if (target.startsWith(anyClass))
      return from.endsWith(".py")
        ? this.#layers.find(target)
        : this.#ofHanded(from, target.slice(anyClass.length), aliases);
    if (target.includes(chosenMember) && isOfScript.test(from))
      return chosenMembers(this.#names, from, target, aliases);
    // Packages that take all of each other would lead on for ever once a member is no more than a way through them: "shop.util.util.find".
    let isWay = false;
    for (const { artefact, file, member: named } of this.#files.meant(from, target)) {
      // A function that is the whole module is called by the module's name; one of Kotlin lies in no class.
      const isFunction = named === "" && artefact.coverage.path.endsWith(".kt");
      const member = named || (isFunction ? file : "default");
      const onward = isWay && member.includes(".") ? aliasesMax : aliases;
      const found = this.#in(artefact, file, member, onward);
      // "./tasks.run" may be the file tasks/run, or what tasks/index takes from it.
      if (found.length > 0) return found;
      isWay = true;
    }
    const kept = isWay && aliases === 0 && isOfScript.test(from) ? target.replace(takenByKey, chosenMember) : target;
    if (kept !== target) return chosenMembers(this.#names, from, kept, aliases);
    return isWay ? [] : from.endsWith(".rs") ? this.#ofType(target) : this.#ofSibling(target);
  }

  /** `Shelf::find(name)`, `Shelf::new().find(name)`: a type of Rust goes by its name alone, and what its own functions give is one of it. */
  #ofType(target: string): Target[] {
    const [, type, method] = target.match(ofTypeOfRust) ?? [];
    return type === undefined ? [] : this.#types.find(`${type}.${method}`);
  }

  /**
   * `org.harbour.spi.Fetcher.fetch` of Java, an interface that is in no file here but lies in the packages of the project, in a module that was
   * not handed in, as a rule: what the files that are here make of it.
   */
  #ofSibling(target: string): Target[] {
    const [, folder, owner, method] = target.match(ofPackage) ?? [];
    if (!folder || !owner || !method) return [];
    const inside = `/${folder.replace(".", "/")}/`;
    const found = this.#implementing(owner, method).filter(({ artefact: { coverage } }) =>
      `/${coverage.path}`.includes(inside),
    );
    return found.length <= siblingsMax ? found : [];
  }

  /** Where an alias leads, looked for once: packages that take all of each other lead to each other by every way there is. */
  #onward(from: string, target: string, aliases: number): Target[] {
    const key = `${aliases}\0${from}\0${target}`;
    const known = this.#led.get(key);
    if (known) return known;
    if (this.#steps >= this.#lastStep) return [];
    this.#steps += 1;
    const found = this.#find(from, target, aliases);
    // What was given up on the way may be found from elsewhere.
    if (this.#steps < this.#lastStep) this.#led.set(key, found);
    return found;
  }

  /**
   * The names that a file hands on. All of a module that is not there are none: looked for in the package around it, they would be
   * looked for in all that this takes from others, and so on.
   */
  #handedOn(artefact: FileArtefact): Aliases {
    const known = this.#handed.get(artefact);
    if (known) return known;
    const { path } = artefact.coverage;
    const handed = artefact.link.aliases.filter(
      ({ name, target }) => name !== "*" || this.file(path, target)?.member === "",
    );
    this.#handed.set(artefact, handed);
    return handed;
  }

  /** A method of an object of JavaScript of which nothing but the name is known. */
  #ofHanded(from: string, target: string, aliases: number): Target[] {
    const [name, method] = target.split(".") as [string, string];
    const found = aliases < aliasesMax ? this.#wirings.methodsOf(from, name, method, aliases) : [];
    if (found.length > 0) return found;
    // What adapts all controllers to a framework knows them by the interface that they have in common.
    const implementing = /^\p{Lu}/u.test(name) ? this.#implementing(name, `.${method}`) : [];
    return implementing.length > 0 || !layerName.test(name) ? implementing : this.#ofPart(target);
  }

  /** The methods of that name that classes have which extend or implement another; else those of others in their files, which may extend them. */
  #implementing(owner: string, method: string, aliases = aliasesMax): Target[] {
    return (this.#implementers.get(owner) ?? []).flatMap((artefact) => {
      const { exports, classes } = artefact.link;
      const able = exports.filter(({ name }) => name.endsWith(method));
      const heirs = classes.flatMap(({ name, bases }) => (bases.includes(owner) ? [name] : []));
      // `class MailSender extends BasicSender implements Sender {}` has the method from a class of yet another file.
      if (able.length === 0 && /\.(java|kt)$/.test(artefact.coverage.path))
        return heirs
          .slice(0, heirsMax)
          .flatMap((name) => this.#inherited(artefact, name, `${method}${ofBase}`, aliases + 1));
      const named = new Set(heirs.map((name) => `${name}${method}`));
      const own = able.filter(({ name }) => named.has(name));
      return (own.length > 0 ? own : able).map((exported) => ({ artefact, exported }));
    });
  }

  /** A method of what is called like one file of the project, and no other: "orderService.find". */
  #ofPart(target: string): Target[] {
    const [part, method] = target.split(".") as [string, string];
    const [artefact, ...others] = this.#parts.get(plainName(part)) ?? [];
    return artefact && others.length === 0 ? this.#in(artefact, part, method, 0) : [];
  }

  /** The function itself, a method of the file's only class that has it, or what implements an interface of that name. */
  #in(artefact: FileArtefact, file: string, wanted: string, aliases: number): Target[] {
    const path = artefact.coverage.path;
    const isOfBase = wanted.endsWith(ofBase);
    const member = ofMade(artefact, file, isOfBase ? wanted.slice(0, -ofBase.length) : wanted);
    if (aliases < aliasesMax && !artefact.link.exports.some((exported) => exported.name === member)) {
      const ofAny: Target[] = [];
      const isAny = givesSeveral(path, this.#handedOn(artefact), wanted);
      for (const onward of aliased(this.#handedOn(artefact), wanted)) {
        // An exported instance is one of a class of the same file.
        const local = artefact.link.exports.find((exported) => exported.name === onward);
        const found = local
          ? [{ artefact, exported: local }]
          : declaresClass(artefact, onward) || hasKept(artefact, onward)
            ? this.#in(artefact, file, onward, aliases + 1)
            : this.#onward(path, onward, aliases + 1);
        if (found.length > 0 && !isAny) return found;
        ofAny.push(...found);
      }
      if (ofAny.length > 0) return ofAny;
    }
    const method = `.${member.slice(member.lastIndexOf(".") + 1)}`;
    const called = (name: string) => artefact.link.exports.filter((exported) => exported.name === name);
    const exact = called(member);
    // Whatever a function gives that is not known to give a function, it is asked itself.
    if (exact.length === 0 && member.endsWith("()"))
      return this.#in(artefact, file, member.slice(0, -"()".length), aliases);
    const isMade = method === ".constructor" || method === ".__init__";
    // What a class inside is made with, the class around it is not.
    const isInside = isMade && /^(?!default\.)[^.]+\./.test(member);
    const own = exact.length > 0 || isInside ? exact : called(`${file}${method}`);
    // Neither a class inside nor one that extends it is made in its place.
    if (isMade)
      return own.length > 0
        ? own.map((exported) => ({ artefact, exported }))
        : this.#inherited(artefact, member.split(".")[0] as string, method, aliases);
    const found = own.length > 0 ? own : artefact.link.exports.filter((exported) => exported.name.endsWith(method));
    // What is declared here may be overridden, or be no more than an interface.
    const owner = member.includes(".") ? (member.split(".")[0] as string) : file;
    const overriding = isOfBase ? [] : this.#implementing(owner, method, aliases);
    if (found.length + overriding.length === 0)
      return this.#inherited(artefact, owner, `${method}${isOfBase ? ofBase : ""}`, aliases);
    return [
      // Overloads go by one name: any of them may be meant.
      ...(found.length === 1 || own.length > 0 ? found.map((exported) => ({ artefact, exported })) : []),
      ...overriding,
    ];
  }

  /** What a class has from one that it extends, in another file; that may in turn extend it, for all that the files say. */
  #inherited(artefact: FileArtefact, owner: string, method: string, aliases: number): Target[] {
    if (aliases >= aliasesMax) return [];
    const { coverage, link } = artefact;
    const bases = link.classes.flatMap(({ name, bases }) => (name === owner ? bases : []));
    for (const base of bases) {
      if (base === owner) continue;
      const named = this.#importedAs(artefact, owner, base);
      for (const one of named) {
        const found = this.#onward(coverage.path, `${one}${method}`, aliases + 1);
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  /** Where a class that another extends is looked for: Python and JavaScript import it, and no file is called like a class. */
  #importedAs(artefact: FileArtefact, owner: string, base: string): string[] {
    const { coverage, link } = artefact;
    if (coverage.language === "python") return aliased(this.#handedOn(artefact), base).slice(0, importsMax);
    const imported = link.classes.find(({ name }) => name === owner)?.imported ?? [];
    return imported.length > 0 ? imported.slice(0, importsMax) : [base];
  }
}

/** In these a class is known by its name, wherever its file is. */
const globalLanguages = ["php", "csharp", "ruby"];

const plainName = (name: string): string => name.toLowerCase().replace(/[-_.]/g, "");

/** What the objects may be called that a file of JavaScript makes: after the file, its folder, or a class in it. */
function partNames({ coverage: { language, path }, link }: FileArtefact): ReadonlySet<string> {
  if (language !== "javascript" && language !== "typescript") return new Set();
  const [folder = "", file = ""] = path.split("/").slice(-2);
  const name = plainName(file.replace(/\.\w+$/, ""));
  const kind = plainName(folder).replace(/ies$/, "y").replace(/s$/, "");
  const classes = link.exports.flatMap((exported) =>
    exported.name.includes(".") ? [exported.name.split(".")[0]] : [],
  );
  return new Set([name, `${name}${kind}`, ...classes.map((owner) => plainName(owner as string))]);
}

/** A type, at most two functions that give one of it, and a method. */
const ofTypeOfRust = /^(\p{Lu}\w*)(?:\.[a-z]\w*){0,2}\.([a-z]\w*)$/u;

/** What is looked for by more than a path: `*`, `~` and `[]` are anyClass, ofHeirs and inRegistry. */
const isOfFile = /^(?:[*~]|\[\])/;

/** `from orders import find` in routes/orders.py of Python: another file of that name is meant. */
const importsItsName = (from: string, target: string): boolean =>
  from.endsWith(".py") && target.startsWith(`${from.slice(from.lastIndexOf("/") + 1, -".py".length)}.`);

const ofJava = /^(java|kotlin)$/;
const isOfScript = /\.([cm]?[jt]sx?|vue|svelte)$/;

/** `registry.get(kind)(order)`, `registry.get(kind).run`: what a map of JavaScript has is taken out by its key. */
const takenByKey = /\.get(?:\(\)$|(?=\.\w+$))/;

/** Classes of one file that implement an interface and have a method of it from elsewhere. */
const heirsMax = 4;

/** A method of a class of Java by its package, of which the first two parts name whose it is. */
const ofPackage = /^([a-z]\w*\.[a-z]\w*)(?:\.[a-z]\w*)*\.([A-Z]\w*)(\.[a-z]\w*)$/;

/** An interface that more classes than this implement tells too little about which one is meant. */
const siblingsMax = 4;

/** Aliases that are followed for one name: applications need thirty, packages that take all of each other some hundreds. */
const stepsMax = 1_000;
/** The same for all names of a project, by its files: applications need four, and tables of each other lead to tens of thousands. */
const stepsOfFile = 200;
/** Of the names that a few files have. */
const stepsFree = 20_000;

/** Re-exports of re-exports end somewhere. */
export const aliasesMax = 4;

/** Modules that a class may have been taken from by an asterisk: each is looked through for each base. */
const importsMax = 4;
