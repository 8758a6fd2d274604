import { z } from "zod";

const abort = (error: string) => ({ error, abort: true });

/** An http(s) URL without credentials, query, hash or trailing slash. */
export const httpUrlSchema = z.string()
  .transform((text) => URL.parse(text))
  .refine(
    (url) => url !== null && /^https?:$/.test(url.protocol),
    abort("must be a full http:// or https:// address"),
  )
  .transform((url) => url!)
  .refine((url) => url.username === "" && url.password === "", abort("must not hold credentials"))
  .refine((url) => url.search === "" && url.hash === "", abort("must not have a query or hash"))
  .transform((url) => url.origin + url.pathname.replace(/\/+$/, ""));

/** An `httpUrlSchema` URL without a path. */
export const originUrlSchema = httpUrlSchema
  .refine((url) => url === new URL(url).origin, { error: "must not have a path" });
