import { z } from "zod";

/**
 * Any JSON value. One object, so that the API document names it once; there it is any value at all,
 * because generators of clients cannot follow a type that refers to itself.
 */
export const jsonValueSchema = z.json();
