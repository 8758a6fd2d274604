import { z } from "zod";

/** Response of `GET /healthz`. */
export const healthSchema = z.object({ status: z.literal("ok") });

/** Response of `GET /readyz`. */
export const readinessSchema = z.object({ status: z.enum(["ok", "unavailable"]) });

/** Response of `GET /widget.v1.json`. */
export const widgetInfoSchema = z.object({
  version: z.string().describe("Version in the script's file name."),
  integrity: z.string().regex(/^sha384-[A-Za-z0-9+/]{64}$/)
    .describe("Value for the script tag's `integrity`."),
  bytes: z.int().positive().describe("Size of the script, uncompressed."),
  pinned: z.string().describe("Immutable path of this script."),
});
