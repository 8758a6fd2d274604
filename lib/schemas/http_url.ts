import { z } from "zod";

/** An http(s) URL without credentials, query, hash or trailing slash. */
export const httpUrlSchema = z.string()
  .transform((text) => URL.parse(text))
  .refine((url) => url !== null && /^https?:$/.test(url.protocol), {
    error: "must be a full http:// or https:// address",
    abort: true,
  })
  .transform((url) => url!)
  .refine((url) => url.username === "" && url.password === "", {
    error: "must not hold credentials",
    abort: true,
  })
  .refine((url) => url.search === "" && url.hash === "", {
    error: "must not have a query or hash",
    abort: true,
  })
  .transform((url) => url.origin + url.pathname.replace(/\/+$/, ""));

/** An `httpUrlSchema` URL without a path. */
export const originUrlSchema = httpUrlSchema
  .refine((url) => url === new URL(url).origin, { error: "must not have a path" });
