/** Options of `new App()`. */
export interface FreshConfig {
  /** Path prefix that every route lives under, for example `/docs`. */
  basePath?: string;
  /** `"production"` unless told otherwise. */
  mode?: "development" | "production";
  /** Take scheme and host of `ctx.url` from `X-Forwarded-Proto` and `X-Forwarded-Host`. */
  trustProxy?: boolean;
}

/** What `app.config` and `ctx.config` hold. */
export interface ResolvedFreshConfig {
  root: string;
  basePath: string;
  mode: "development" | "production";
  trustProxy: boolean;
}
