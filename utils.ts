import { createDefine } from "fresh";
import type { RateLimiter } from "./lib/http/rate_limiter.ts";
import type { Service } from "./lib/http/service.ts";
import type { SignedInUser } from "./lib/services/signed_in_user.ts";

/** What every request carries: set by the root middleware, read by routes. */
export interface State {
  /** The composed service of this process. */
  service: Service;
  /** Ours, never an echo of input; also the `x-request-id` header. */
  requestId: string;
  /** The address limits and lockouts count: the connection's, or the trusted proxy's word. */
  clientAddress: string;
  /** Counts this request against the limits, once; used under /v1 and by /demo. */
  rateLimiter: RateLimiter;
  /** Who is signed in to the dashboard; set on dashboard routes only. */
  user?: SignedInUser;
  /** What the page's style sheets carry to be let in by its policy; set for dashboard pages. */
  styleNonce?: string;
}

export const define = createDefine<State>();
