import { v5 } from "uuid";
import * as z from "zod";

/** The run of a client that names none. */
export const defaultRunName = "default";

export const RunName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);

const namespace = "5d1c6f1e-8a43-5b0c-9d0e-3f1b6c8a2e70";

/** The id of a run, so that nobody has to look a name up. A tenant holds no `/`, so no two pairs are one text. */
export const runIdOf = (tenant: string, name: string): string => v5(`${tenant}/${name}`, namespace);
