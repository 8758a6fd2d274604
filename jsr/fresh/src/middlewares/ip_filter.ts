import type { Context } from "../context.ts";
import { notInThisBuild } from "../not_in_this_build.ts";
import type { Middleware } from "./mod.ts";

/** Addresses and CIDR blocks. */
export interface IpFilterRules {
  denyList?: string[];
  allowList?: string[];
}

/** What a refused address is told. */
export interface IpFilterOptions {
  onBlocked?: <State>(
    remote: { addr: string; type: string | undefined },
    ctx: Context<State>,
  ) => Response | Promise<Response>;
}

/** Address filters are not in this build. */
export function ipFilter<State>(
  _rules: IpFilterRules,
  _options?: IpFilterOptions,
): Middleware<State> {
  notInThisBuild("ipFilter()");
}
