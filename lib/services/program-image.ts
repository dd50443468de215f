import { resolve } from "node:path";
import { IgnoreMode } from "aws-cdk-lib";
import { Platform } from "aws-cdk-lib/aws-ecr-assets";
import { ContainerImage } from "aws-cdk-lib/aws-ecs";

const root = resolve(import.meta.dirname, "../..");

/** All that goes into an image: a change of anything else makes no new one. The engine is most of the files, and no program's. */
const parts = ["containers", "functions", "proto", "package.json", "package-lock.json"];
const others = ["functions/engine"];

/** The image of a program in containers/. Docker builds it at deployment; synthesis copies the sources only. */
export const programImage = (name: string): ContainerImage =>
  ContainerImage.fromAsset(root, {
    file: `containers/${name}/Dockerfile`,
    platform: Platform.LINUX_ARM64,
    exclude: ["*", ...parts.map((part) => `!${part}`), ...others],
    ignoreMode: IgnoreMode.DOCKER,
  });
