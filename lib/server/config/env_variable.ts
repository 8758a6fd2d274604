import type { z } from "zod";

/** One environment variable: the definition that reads it also documents it. */
export interface EnvVariable {
  readonly name: string;
  readonly purpose: string;
  readonly type: string;
  /** What happens while it is unset, in words; otherwise the schema's default is shown. */
  readonly unset?: string;
  readonly example: string;
  readonly secret?: true;
  /** Takes the variable's text, or `undefined` if it is unset. */
  readonly schema: z.ZodType;
}
