/**
 * The build, for `dev.ts` and tests.
 * @module
 */
export { Builder, type BuildOptions, type ResolvedBuildConfig } from "./builder.ts";
