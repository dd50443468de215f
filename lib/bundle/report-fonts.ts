import { copyFile, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fontFiles } from "../../functions/reports/report-fonts.ts";

const packages = resolve(import.meta.dirname, "../../node_modules/@expo-google-fonts");

/** Package and folder of each font file. */
const places: Readonly<Record<keyof typeof fontFiles, string>> = {
  regular: "noto-sans-sc/400Regular",
  bold: "noto-sans-sc/700Bold",
  mono: "noto-sans-mono/400Regular",
  emoji: "noto-emoji/400Regular",
};

/** Writes the fonts of reports into a folder, each family with its licence (SIL OFL 1.1), which has to travel with it. */
export async function writeReportFonts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const families = new Set(Object.values(places).map((place) => place.split("/")[0] as string));
  await Promise.all([
    ...Object.entries(places).map(([name, place]) => {
      const file = fontFiles[name as keyof typeof fontFiles];
      return copyFile(join(packages, place, file), join(folder, file));
    }),
    ...[...families].map((family) =>
      copyFile(join(packages, family, "LICENSE_FONT"), join(folder, `${family}.OFL.txt`)),
    ),
  ]);
}
