import { z } from "zod";

/** Any JSON value. One object, so that the API document names it once. */
export const jsonValueSchema = z.json();
