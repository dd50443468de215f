import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { create, type Font } from "fontkit";

/** The fonts that reports are set in, by the names of their files beside the functions. */
export const fontFiles = {
  regular: "NotoSansSC_400Regular.ttf",
  bold: "NotoSansSC_700Bold.ttf",
  mono: "NotoSansMono_400Regular.ttf",
  emoji: "NotoEmoji_400Regular.ttf",
} as const;

export type FontName = keyof typeof fontFiles;
export type ReportFonts = Readonly<Record<FontName, Font>>;

let fonts: Promise<ReportFonts> | undefined;

/** The fonts of this process, read on first use from the assets that are bundled beside the functions. */
export function reportFonts(): Promise<ReportFonts> {
  fonts ??= openFonts((name) => readFile(join(process.env.LAMBDA_TASK_ROOT ?? "", "fonts", name)));
  // A failed start must not be remembered: the next call tries again.
  fonts.catch(() => {
    fonts = undefined;
  });
  return fonts;
}

async function openFonts(read: (file: string) => Promise<Buffer>): Promise<ReportFonts> {
  const opened = Object.entries(fontFiles).map(async ([name, file]) => [name, create(await read(file))] as const);
  return Object.fromEntries(await Promise.all(opened)) as Record<FontName, Font>;
}
