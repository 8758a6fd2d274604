/** Options of `new App()`. */
export interface FreshConfig {
  /** Not in this build. */
  basePath?: string;
  /** `"production"` by default. */
  mode?: "development" | "production";
  /** Not in this build. */
  trustProxy?: boolean;
}

/** What `app.config` and `ctx.config` hold. */
export type ResolvedFreshConfig = Required<FreshConfig> & { root: string };
