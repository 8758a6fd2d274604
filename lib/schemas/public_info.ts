import { z } from "zod";

/** Response of `GET /healthz`. */
export const healthSchema = z.object({ status: z.literal("ok") });

/** Response of `GET /readyz`. */
export const readinessSchema = z.object({ status: z.enum(["ok", "unavailable"]) });

const integritySchema = z.string().regex(/^sha384-[A-Za-z0-9+/]{64}$/);

const laterFileSchema = z.object({
  integrity: integritySchema.describe("For a policy that lists scripts by their hashes."),
  bytes: z.int().positive().describe("Size of the file, uncompressed."),
  pinned: z.string().describe("Immutable path of the file."),
});

/** Response of `GET /widget.v1.json` and `GET /client.v1.json`. */
export const widgetInfoSchema = z.object({
  version: z.string().describe("Version in the script's file name."),
  integrity: integritySchema.describe("Value for the script tag's `integrity`."),
  bytes: z.int().positive().describe("Size of the script, uncompressed."),
  pinned: z.string().describe("Immutable path of this script."),
  panel: laterFileSchema.optional()
    .describe("Of the widget: the file that its script loads before the panel opens."),
  extras: laterFileSchema.optional()
    .describe("Of the widget: the file that the panel loads for what stands below answers."),
});
