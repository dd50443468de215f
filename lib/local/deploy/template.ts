import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Json } from "../service.ts";

/** A resource as the template has it, nothing resolved. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Json;
  readonly DependsOn?: string | readonly string[];
  readonly Condition?: string;
}

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: Json; readonly Condition?: string }>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type: string; readonly Default?: Json }>>;
  readonly Conditions?: Readonly<Record<string, Json>>;
  readonly Mappings?: Readonly<Record<string, Json>>;
}

/** What `cdk synth` leaves in its output folder. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** Folders of assets by the key that the template names them with ("<hash>.zip"), of images by their tag. */
  readonly assets: ReadonlyMap<string, string>;
}

/**
 * Reads the one stack of a cloud assembly.
 * @throws Error when the folder has no template, or more than one
 */
export function readAssembly(folder: string): Assembly {
  const suffix = ".template.json";
  const templates = readdirSync(folder).filter((name) => name.endsWith(suffix));
  const [file] = templates;
  if (file === undefined || templates.length > 1) {
    throw new Error(`${folder} has ${templates.length} templates; the embedded cloud deploys exactly one stack.`);
  }
  const stackName = file.slice(0, -suffix.length);
  return { stackName, template: readJson(join(folder, file)), assets: readAssets(folder, stackName) };
}

function readAssets(folder: string, stackName: string): Map<string, string> {
  const { files = {}, dockerImages = {} } = readJson(join(folder, `${stackName}.assets.json`));
  return new Map(
    [...Object.values<Json>(files), ...Object.values<Json>(dockerImages)].flatMap(({ source, destinations }) =>
      Object.values<Json>(destinations).map(
        ({ objectKey, imageTag }) => [objectKey ?? imageTag, resolve(folder, source.path ?? source.directory)] as const,
      ),
    ),
  );
}

const readJson = (path: string): Json => JSON.parse(readFileSync(path, "utf8"));
